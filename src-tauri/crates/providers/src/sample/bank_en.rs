//! The sentences in English. See [`super::bank`] for the marks and slots.

use super::bank::SentenceKind;

pub(super) const BANK: [(SentenceKind, &str); 7] = [
    (SentenceKind::Action, ACTION),
    (SentenceKind::Description, DESCRIPTION),
    (SentenceKind::Monologue, MONOLOGUE),
    (SentenceKind::Narration, NARRATION),
    (SentenceKind::Question, QUESTION),
    (SentenceKind::Reply, REPLY),
    (SentenceKind::Remark, REMARK),
];

const ACTION: &str = "
{O} didn’t look up.
{P} shut the door.
{O} stood, then sat again.
{P} took half a step back.
{O} put a hand on the {n}.
{P} didn’t take it.
{O} turned and walked out.
{P} caught {o} by the sleeve.
{O} went on working.
{O} moved the lamp closer.
{P} bent to pick it up.
{P} opened the window and closed it again.
{O} wiped the table with one cuff and then looked it over.
{P} turned the {n} to see its other side, and there was nothing there.
{O} found a stub of pencil and tried its point on one palm.
{P} went round behind {o} and pushed the window open an inch.
{O} counted to three before letting go, and it left a red mark.
{P} ran as far as the corner and saw only a coat going out of sight.
{O} glanced at {me} once, and then went back to the {n}.
{P} crouched to look at the crack and ran a fingernail down the edge of it, all the way down and all the way back, as if an inch might have been missed.
{O} emptied the glass, filled it again, set it in front of {me}, and went to stand beside the door until the water was warm.
{P} crossed the yard in three strides and opened the door that was never opened, and it was dark in there, with the {n} exactly where it had always been.
{O} took the {n} without looking at it, dried both hands on the cloth first, and only then carried it over to the light.
{P} threw {my} whole weight at the door!
How fast {o} ran!
~{O} took three turns of rope round the post, pulled it tight, and added half a turn more.
~{P} waded out until the water was over {my} knees, and stopped.
~{O} laid the oar flat and the boat slowed.
|{P} pulled {my} coat up and ran across the yard.
|{O} closed the umbrella and shook it twice outside the door.
";

const DESCRIPTION: &str = "
The lamp didn’t reach the corners.
It wasn’t properly light yet.
The {n} hadn’t been moved.
There was no sound in the yard.
The clock on the wall was seven minutes slow.
The room smelled of old wood.
The shadows were very thin.
The kettle had begun to tick.
For a while the wind dropped.
One corner of the window was broken, and enough air came in to lean the flame over.
A sheet of paper lay under the {n} with half a line showing.
Moss ran along the foot of the wall and broke off where people walked.
At the end of the lane a lamp went on and off, and nobody saw to it.
The paint on the door had come off in layers, and the last layer was green.
There was dust along the {n}, and in the middle a clean place the size of a hand.
It wasn’t a large room, but everything in it stood well apart, the chair to the wall and the table to the window, with a space in the middle that might have been left for somebody.
The sun came in low from the west and touched the {n} first and then {my} hands, and the dust on both of them was the same colour.
Beyond the wall somebody was pushing a cart, and the wheels went over the stones one at a time, stopped at the corner, and went on more faintly.
It got dark slowly, the corners first, then the legs of the table, until there was only the window left, grey, and a little brighter than the rest.
What a fog that was!
How bright the moon was that night!
~The tide was out.
~There were no boats on the water.
~There was salt in the wind, and after a time it made the lips tight.
~With the water gone the flats were grey as far as the sky, and there was no saying where they stopped.
~Under the moon the sea was all one piece, and only where a boat had passed was there a seam in it, which closed slowly and could still be seen when it had closed.
|The rain let up.
|Rain fell on the tiles too fast to be counted.
|Water came off the eaves in a string and fell on one stone, which had long had a hollow in it.
|Some time after midnight the rain slowed as though it had remembered something, a drop, and after a long while a drop, and nobody could have said which was the last.
";

const MONOLOGUE: &str = "
{P} no longer wanted to ask.
There was still time, {p} thought.
{P} knew {o} was waiting.
{P} had never thought of that.
Perhaps it had always been so.
{P} would rather have misheard.
{P} remembered that smell.
{P} was sorry, and couldn’t have said for what.
{P} felt a little older.
There had been an afternoon like this one when {p} was small, only nobody had said it aloud.
A day sooner, {p} thought, and none of it would have gone this way.
{P} counted back over the days, got halfway, and didn’t dare go on.
{P} understood why {o} never mentioned the {n}, and that made it harder to begin.
{P} suspected that {o} knew everything and was only waiting for somebody else to say it.
Afterward {p} often wondered whether things would have gone otherwise had {p} stayed a little longer and heard it out, and always came to the same end, which was that {p} would have left.
{P} had taken it for forgotten, all of it, and it wasn’t; it had only been put somewhere else, like the {n}, to wait until somebody reached for it.
It wasn’t anger that {p} was afraid of, it was that {o} might not be angry at all, might nod and say all right, and go on as before.
{P} tried to set it all out in order, what came first and what came after, and every time there was a gap in the middle, as though somebody had drawn one card beforehand.
How could there be nothing!
All that while at the door, {p} thought, and not one person had come to ask!
{P} could have shouted!
~The water probably remembered, {p} thought.
~Looking at the water, {p} saw for a moment why {o} had been content to live here always, and by the time {p} had turned round there were no words for it.
|It could wait, {p} thought, until the rain stopped.
|With the rain on it the room seemed smaller than usual, {p} thought, so small that there was space in it for one sentence, and nobody said it.
";

const NARRATION: &str = "
That was three years ago.
Nobody spoke of it afterward.
{O} had lived here half a lifetime.
The news came toward evening.
{P} never answered the letter.
The first to come was {o}.
Things went on as before.
There was no snow that winter.
It was {o} who had left the {n}.
{O} came every day, said nothing much, sat a while, and went.
Everyone in the town knew of it, and no two told it alike.
What year the {n} had been put there, nobody could say any more.
After that {p} got into the way of looking at the bolt before bed.
By the end of August fewer people came, and {o} took one of the stools indoors.
When {p} and {o} first met, both of them were using other people’s names.
{O} had once gone a long way off, and where it was and who was there {o} never said, only that from then on there was no fish in that house.
The winter came early that year, there was ice before the end of October, and when all that could be burnt had been burnt there was only the {n}, and nobody would be the first to touch it.
The letter had been eleven days on the road, and by the time {p} opened it the person it promised had been and gone, and the thing it asked for was no longer wanted.
For a few years people still came and asked, and then those who asked grew old, and in the end there was nobody left who knew of it but {o} and the tree by the door.
Eleven whole years!
Not one letter!
Out of the whole of that house there was nothing left but the {n}!
By the time word got about, everyone who meant to go had gone and all there was to say had been said, and then, of all times, {o} came back!
~The people at the ferry had changed several times over, and only {o} was still there.
~They altered the sailings three times, and the last time to an hour when nobody travelled.
~After the last boat of that year there were nine households left on the island, and by the spring there were four, and one of the four was where {o} lived.
|The rains lasted two weeks longer than usual.
|It rained for six days, and on the morning of the seventh {p} opened the door and saw the {n} afloat on the step.
";

const QUESTION: &str = "
Who else has seen it?
Why didn’t you say so?
Where’s the {n}?
You’re really going?
Where were you that night?
Whose writing is this?
How long have you known?
Will they come back?
And if I say no?
Did you never think of asking?
What would you have done in my place?
How long were you going to keep it from me?
You put the {n} away and you lock the door and then you come and sit here every day, so who is it you’re waiting for?
If I hadn’t called after you that time, when would you have told me, or would you have gone on just as you were and never told me at all?
";

const REPLY: &str = "
I forget.
I’ve known all along.
There was no such thing.
You’ve got it wrong.
Eat something first.
Ask me when it’s light.
I gave my word.
What do you want with that?
It’s nothing to do with you.
The one you saw doesn’t count.
I couldn’t say, it just seemed right.
What use was it, you were only a child.
Those who saw it have gone, so nobody saw it.
It isn’t that I didn’t want to tell you, it’s that every time I wanted to you were in the doorway with one foot already outside.
If a thing has been put by long enough it’s no one’s any more, so take it if you want it, only don’t say you had it from me.
It wasn’t me!
Stop asking me that!
";

const REMARK: &str = "
The weather’s turning.
Sit down.
I’ve been waiting half the day.
Put the {n} back.
Leave the lamp on.
Somebody’s been here.
I’ve walked this road for thirty years.
Don’t tell anybody about today.
You walk the way your father did.
When the winter’s over I won’t be here either.
The key’s in the old place, you know where.
I’ve only ever lied to one person in my life, and I didn’t notice when I did it, and by the time I noticed there was nobody to tell.
If you see any of them over there, give them a message from me, say it’s still here and so am I, and you needn’t say anything else.
Don’t touch that!
Go, now!
~The boat won’t wait.
~The water’s coming up.
|In rain like this you’d better stay the night.
";
