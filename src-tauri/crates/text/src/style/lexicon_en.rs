//! English cues. `word~` stands for its regular inflections too, `word~~` doubles the last letter in them, and
//! `two_words` is a phrase. A phrase under no cue hides the words in it.

use super::cues::{Cue, List};

pub(super) const LISTS: [List; 29] = [
    (None, HIDDEN),
    (Some(Cue::Action), ACTION),
    (Some(Cue::TimeShift), TIME_SHIFT),
    (Some(Cue::Adjective), ADJECTIVE),
    (Some(Cue::NotAdjective), NOT_ADJECTIVE),
    (Some(Cue::NotManner), NOT_MANNER),
    (Some(Cue::Hedge), HEDGE),
    (Some(Cue::Simile), "like as as_if as_though resemble~ resembling reminiscent akin likened"),
    (Some(Cue::Sight), SIGHT),
    (Some(Cue::Sound), SOUND),
    (Some(Cue::Body), BODY),
    (Some(Cue::Conjunction), "and but or nor so yet because though although"),
    (Some(Cue::Negation), "not no never none nobody nothing nowhere neither nor without cannot no_one nay"),
    (Some(Cue::Past), PAST),
    (Some(Cue::NotPast), NOT_PAST),
    (Some(Cue::Present), PRESENT),
    (Some(Cue::Speech), SPEECH),
    (Some(Cue::First), "i me my mine myself we us our ours ourselves"),
    (Some(Cue::Second), "you your yours yourself yourselves thou thee thy thine ye y'all"),
    (Some(Cue::Third), "he him his himself she her hers herself they them their theirs themselves themself"),
    (Some(Cue::Emotion), EMOTION),
    (Some(Cue::Thought), THOUGHT),
    (Some(Cue::Abstract), ABSTRACT),
    (Some(Cue::NotAbstract), NOT_ABSTRACT),
    (Some(Cue::Archaic), ARCHAIC),
    (Some(Cue::Colloquial), COLLOQUIAL),
    (Some(Cue::Intensifier), INTENSIFIER),
    (Some(Cue::Cliche), CLICHE),
    (Some(Cue::Cliche), CLICHE_WORDS),
];

const HIDDEN: &str =
    "no_doubt of_course at_least a_great_deal no_matter not_only sort_out kind_to so_that by_the_way such_as";

const ACTION: &str = "\
run runs ran running jump~ leap~ leapt grab~~ seize~ shove~ push~ pull~ kick~ strike~ struck hit hits hitting throw throws threw throwing thrown fling flings flung swing swings swung duck~ dodge~ lunge~ \
spin spins spun spinning turned turns turning slam~~ crash~ fall falls fell falling fallen roll~ charge~ chase~ flee flees fled fleeing sprint~ scramble~ catch catches caught catching snatch~ punch~ \
stab~~ slash~ haul~ drag~~ yank~ rush~ burst bursts bursting climb~ dive~ dove drop~~ walk~ stride~ strode step~~ stagger~ stumble~ trip~~ crawl~ creep creeps crept creeping slip~~ slide~ slid dart~ dash~ \
race~ bolt~ hurry~ march~ tiptoe~ stomp~ stamp~ trudge~ shuffle~ limp~ skip~~ hop~~ bend bends bent bending bow~~ bowed bowing kneel~ knelt crouch~ stoop~ rise rises rose rising stood stand stands standing \
sit sits sat sitting lean~ reach~ raise~ lift~ lower~ carry~ hold holds held holding clutch~ grip~~ grasp~ squeeze~ press~ rub~~ scratch~ slap~~ smack~ tap~~ pat~~ shake~ shook nod~~ shrug~~ wave~ point~ \
tear tears tore torn rip~~ break breaks broke broken breaking smash~ snap~~ crack~ cut cuts cutting open~ opened close~ closed shut shuts shutting toss~ hurl~ pitch~ shoot shoots shot shooting fire~ stabbed \
fight fights fought fighting wrestle~ struggle~ tackle~ block~ beat beats beating pound~ escape~ plunge~ pounce~ swim swims swam swimming fly flies flew flying ride rides rode riding drove drive drives driving";

const TIME_SHIFT: &str = "\
suddenly abruptly instantly immediately meanwhile afterwards afterward later eventually finally presently soon then at_once all_at_once in_an_instant in_a_flash a_moment_later moments_later \
the_next_morning the_next_day the_following_day the_following_morning that_night that_evening that_morning that_afternoon the_same_evening the_same_day next_morning one_day one_morning one_night one_evening \
after_a_while before_long by_then by_now until_then since_then years_ago days_later weeks_later hours_later months_later years_later minutes_later in_the_meantime at_that_moment just_then at_last at_length \
tomorrow yesterday tonight overnight dawn dusk midnight nightfall";

const ADJECTIVE: &str = "\
old young new big small little large great tall short long high low deep thin thick wide narrow broad heavy light dark bright pale dim cold warm hot cool wet dry soft hard rough smooth sharp blunt \
red blue green yellow white black grey gray brown golden silver purple crimson scarlet good bad fine poor rich strong weak quick slow fast quiet loud silent calm wild gentle kind cruel brave bold shy \
clear plain simple strange odd queer common rare sweet bitter sour fresh stale clean dirty empty full open early late happy sad angry glad sorry proud mad sick ill tired sleepy hungry lonely lovely \
friendly silly ugly pretty handsome elderly holy lively deadly ghostly chilly costly likely unlikely cowardly fair nice dear sure true false real safe free ready busy dusty rusty muddy misty foggy \
rainy sunny windy stormy cloudy snowy icy hazy dusky shadowy gloomy grim stern solemn grave vast huge tiny giant immense enormous ancient modern fragile brittle tender delicate elegant faint vague \
intense distant brilliant constant pleasant vacant silent violent ardent radiant fragrant weird crazy funny lazy greedy hollow shallow steep flat round square crooked bare naked wicked ragged rugged sacred \
mysterious unspoken twisted faded broken frozen hidden worn intricate ornate private secret final final entire whole single lone raw crisp damp cosy cozy snug eerie serene solid rotten wooden stony tragic";

/// Words that end like an adjective.
const NOT_ADJECTIVE: &str = "\
unless nevertheless nonetheless regardless doubtless bless handful mouthful spoonful armful fistful cupful pocketful eyeful \
arrive survive revive derive deprive strive alive archive olive native relative relatives detective detectives motive narrative executive representative operative initiative perspective alternative objective adjective \
table stable cable fable syllable vegetable vegetables constable parable enable trouble double bubble stumble humble tremble assemble resemble scramble grumble rumble tumble fumble mumble nibble pebble scribble \
gamble ramble marble bible crumble thimble bramble preamble dissemble timetable \
finish vanish punish polish furnish publish establish diminish perish banish cherish abolish astonish flourish nourish rubbish radish parish relish varnish tarnish vanquish distinguish extinguish relinquish anguish languish accomplish admonish demolish embellish blemish brandish garnish british english irish spanish scottish \
trial trials material serial burial denial social aerial official officials tutorial memorial editorial territorial dial manual manuals individual individuals ritual rituals usual \
";

/// Words in -ly that are no adverbs of manner.
const NOT_MANNER: &str = "\
only family early reply supply apply rely july italy ally rally bully belly jelly holy ugly lonely lovely friendly unfriendly silly likely unlikely elderly daily weekly monthly yearly nightly assembly anomaly melancholy butterfly dragonfly firefly gadfly \
housefly jolly folly curly chilly costly deadly lively lowly sickly ghostly motherly fatherly brotherly sisterly orderly disorderly cowardly heavenly worldly unworldly homely timely untimely lily sly multiply comply imply \
hilly woolly bubbly wobbly wrinkly prickly wily oily burly surly gnarly steely measly bristly grisly doily tally dally sully gully dolly trolley holly molly polly sally billy emily kelly nelly lilly willy philly monopoly \
scholarly princely saintly stately womanly manly gentlemanly neighborly neighbourly earthly ungodly godly beastly smelly crumbly pebbly cuddly bodily panoply homily contumely";

const HEDGE: &str = "\
seem~ seemingly appear appears appeared apparently perhaps maybe possibly probably presumably supposedly might may somewhat rather almost nearly kind_of sort_of a_bit a_little slightly likely \
suppose supposes supposed guess guessed suspect suspects suspected as_it_were so_to_speak more_or_less in_a_way tend tends tended fairly partly hardly scarcely barely roughly approximately something_like";

const SIGHT: &str = "\
see sees saw seen seeing look~ gaze~ stare~ glance~ watch~ glimpse~ peer~ peek~ glare~ squint~ spot~~ notice~ observe~ behold beheld view~ sight sights eye eyes vision visible invisible appear~ vanish~ \
light lights bright brightness dark darkness dim dimly shadow~ shadowy glow~ gleam~ glitter~ glisten~ glimmer~ shimmer~ sparkle~ twinkle~ flash~ flicker~ shine~ shone shining blaze~ dazzle~ beam~ ray rays \
colour~ color~ red blue green yellow white black grey gray brown golden silver purple crimson scarlet pink orange violet amber pale sunlight moonlight starlight lamplight candlelight daylight sunset sunrise silhouette~ reflection~ mirror~ mist fog haze clear blurred blurry";

const SOUND: &str = "\
hear hears heard hearing listen~ sound~ noise noises noisy voice voices quiet quietly silence silent silently loud loudly stillness hush hushed whisper~ murmur~ mutter~ shout~ scream~ shriek~ cry~ yell~ roar~ howl~ \
hum~~ buzz~ hiss~ rustle~ rumble~ thunder~ echo echoes echoed echoing ring rings rang rung ringing chime~ clang~ clink~ clatter~ crack~ crackle~ creak~ crash~ bang~ thud~ thump~ knock~ tap~~ tick~ click~ \
groan~ moan~ sigh~ sob~~ laugh~ laughter giggle~ chuckle~ sing sings sang sung singing song songs music musical melody melodies tune bell bells bark~ growl~ squeak~ whistle~ snore~ cough~ hoarse deafening silenced ears ears";

const BODY: &str = "\
touch~ warm warmth cold chill chilly cool hot heat burn~ burnt freeze freezes froze freezing frozen icy damp wet dry moist sweat~ sweaty shiver~ shudder~ tremble~ shake shakes shook shaking quiver~ \
ache~ pain pains painful hurt hurts hurting sore sting stings stung stinging itch~ itchy tingle~ numb numbness throb~~ pulse~ heartbeat breath breaths breathe~ breathless gasp~ pant~ inhale~ exhale~ smell~ smelt scent~ scents stench odor odour aroma perfume~ reek~ stink stinks stank \
taste~ bitter sweet sour salty flavor flavour tongue lips throat skin flesh bone bones spine chest stomach gut muscle~ finger~ fingertips cheek~ forehead blood bleed bleeds bled bleeding hungry hunger thirst thirsty thirsty dizzy nausea nauseous tired weary exhausted exhaustion \
soft softness rough smooth sharp sticky slippery prickly tender stiff limp heavy weight goosebumps";

const PAST: &str = "\
was were had did been went came said saw knew thought felt took made gave got found told left kept held stood sat ran began brought bought caught taught fought sought heard lost met paid sent slept spoke spent stole swore wrote won wore woke \
rose fell flew drew drove drank ate broke chose grew hung hid laid led lay lent meant rode rang sang sank shone shook shot sold swam swept swung threw understood became forgot forgave froze built bent bit blew bled bred burnt crept dealt dug dreamt dreamed fed fled flung knelt leapt learnt lit slid smelt spun spat sprang stuck stung struck strode tore wept withdrew used_to";

const NOT_PAST: &str = "\
need seed feed bed red hundred indeed speed weed breed bleed deed reed greed shed sacred naked wicked rugged ragged aged beloved kindred embed wed sled heed steed proceed succeed exceed seabed deathbed flatbed hatred crooked infrared shred unwed bloodshed \
unfed watershed biped misdeed overfeed linseed breed fred alfred ned ted";

const PRESENT: &str = "\
is are am has does isn't aren't hasn't doesn't don't says goes comes looks sees feels knows thinks takes gives makes gets stands sits walks turns runs asks wants seems keeps holds moves opens falls hears tells begins stays \
loves needs tries uses works means becomes brings finds puts remembers speaks starts stops waits watches calls plays reads writes smiles laughs whispers now today nowadays currently it's that's there's he's she's i'm you're we're they're";

const SPEECH: &str = "\
say says said saying ask~ answer~ reply~ replies replied tell tells told cry cries cried call calls called shout~ whisper~ mutter~ murmur~ add adds added exclaim~ declare~ demand~ insist~ remark~ observed explain~ continue~ \
repeat~ begin begins began interrupt~ protest~ agree~ announce~ inquire~ enquire~ respond~ retort~ snap~~ growl~ groan~ sigh~ stammer~ yell~ scream~ gasp~ hiss~ breathe~ admit~~ suggest~ argue~ warn~ wonder~ mumble~ laugh~ joke~ lie~ speak speaks spoke quoth resume~ return~ assent~";

const EMOTION: &str = "\
happy happiness happily sad sadness sadly angry anger angrily fear~ afraid fearful scared frightened fright terror terrified terrible horror horrified panic~ joy joyful joyous delight~ pleased pleasure glad gladly cheerful content contentment \
love~ loving hate~ hatred hope~ hopeful despair~ grief grieve~ sorrow~ sorrowful misery miserable lonely loneliness guilt guilty shame ashamed embarrassed embarrassment proud pride jealous jealousy envy envious disgust~ disgusted \
anxious anxiety anxiously worry~ nervous nervously nervousness tense tension calm calmly relief relieved excited excitement eager eagerly thrill~ surprise~ surprised astonished astonishment amazed amazement shock~ shocked confused confusion bewildered bewilderment \
upset annoyed annoyance irritated irritation furious fury rage~ bitter bitterness bitterly resent~ resentment regret~~ remorse longing yearn~ yearning desperate desperately desperation heartbroken heartbreak tender tenderness tenderly affection gratitude grateful thankful \
smile~ grin~~ laugh~ laughter cry~ weep weeps wept weeping sob~~ tears frown~ scowl~ blush~ wince~ agitation agitated dread~ dreadful mortified mortification gloom gloomy melancholy passion passionate enthusiasm sympathy pity compassion agony anguish distress~ distressed";

const THOUGHT: &str = "\
think thinks thought thinking thoughts wonder~ remember~ know knows knew known knowing knowledge believe~ believing suppose~ supposed guess~ imagine~ imagining imagination realise~ realize~ understand understands understood understanding consider~ \
decide~ decision decisions doubt~ expect~ forget forgets forgot forgotten forgetting recall~ reflect~ reflection recognise~ recognize~ recollect~ recollection conclude~ assume~ suspect~ judge~ judgment judgement meant mind minds memory memories idea ideas notion notions \
opinion opinions reason~ plan~~ dream~ dreamt ponder~ contemplate~ figure~ figured learn~ learnt aware unaware awareness conscious consciousness intend~ intention intentions wish~ perceive~ presume~ convinced certain sure question~";

const ABSTRACT: &str = "\
love hope fear truth truths soul souls idea ideas thought thoughts memory memories fate faith destiny freedom honour honor justice beauty grace virtue vice sin evil peace war power glory pride shame guilt grief sorrow joy despair anger rage hatred hate envy \
pity mercy trust loyalty courage wisdom knowledge reason sense meaning purpose nature life death time eternity infinity history past future dream dreams desire desires passion pleasure pain misery comfort doubt belief beliefs value values \
spirit essence spirit mystery secret secrets silence solitude absence presence chance luck success failure loss change progress culture society law order chaos harmony youth age health strength weakness effort duty respect advice opinion opinions interest interests influence \
character manner manners temper taste habit habits fact facts cause causes effect effects possibility advantage experience experiences feeling feelings emotion emotions conscience consequence consequences circumstance circumstances";

/// Concrete words with an abstract ending.
const NOT_ABSTRACT: &str = "\
moment moments station stations apartment apartments department departments garment garments basement basements pavement pavements cement city cities university universities sentence sentences fence audience audiences \
ambulance entrance entrances kingdom kingdoms question questions mention mentions business witness witnesses harness ornament ornaments document documents monument monuments instrument instruments compartment compartments tournament regiment parliament \
plantation mansion mansions lotion potion potions cushion cushions television onion section sections portion portions location locations election mission missions battleship spaceship airship flagship warship worship township \
seldom random condom implement implements ointment casement tenement tenements fragment fragments segment segments pigment filament equipment settlement settlements encampment embankment governess wilderness lioness baroness tourism facility facilities community communities celebrity celebrities fraternity \
neighborhood neighbourhood neighborhoods priesthood glance stance dance advance finance romance once hence whence thence commence pence influence";

const ARCHAIC: &str = "\
hath doth hast dost thee thou thy thine ye shalt wilt hither thither whither whence hence thence ere yea nay verily methinks forsooth betwixt wherefore whilst amongst perchance mayhap tis twas twere twill o'er ne'er e'er e'en unto oft alas lo behold beheld henceforth quoth spake anon prithee sire \
upon shall thereupon whereupon whereby wherein therein thereof hereafter heretofore hitherto notwithstanding countenance endeavour endeavoured endeavouring wherewith withal aught naught nought bade bid beseech besought betook begone damsel maiden steed foe slain smite smote wrought yonder yon \
tarry tarried vex vexed amiable propriety forthwith albeit lest whosoever whatsoever wheresoever oftentimes amidst midst dwelt dwell abode kinsman morrow eventide fain thrice twain whomsoever sha'n't shan't afore";

const COLLOQUIAL: &str = "\
yeah yep yup nope nah okay ok hey hi wow whoa oh ah uh um hmm huh ugh oops gonna wanna gotta kinda sorta dunno lemme gimme ain't y'all cuz guy guys dude kid kids buddy mom mommy dad daddy crap damn hell shit fuck fucking bullshit bloody \
cool awesome weird crazy totally really anyway anyways lots a_lot a_lot_of a_bunch a_couple a_bunch_of kind_of sort_of you_know i_mean i_guess no_way come_on come_on get_out shut_up gotten freaking literally basically honestly actually bits folks loads freak freaked screwed sucks suck hang_out big_deal fella fellas chap chaps stuff";

const INTENSIFIER: &str = "\
very really extremely terribly utterly absolutely completely totally entirely incredibly deeply quite too so such highly truly exceedingly perfectly particularly especially intensely remarkably thoroughly awfully dreadfully enormously immensely tremendously unbelievably \
wholly fully strongly greatly vastly exceptionally extraordinarily exquisitely pretty more_than_ever ever_so simply downright positively certainly indeed infinitely insanely profoundly overwhelmingly hugely severely much_more far_more even_more far_too all_too";

const CLICHE: &str = "\
testament_to a_symphony_of a_tapestry_of rich_tapestry dance_of danced_across danced_with couldn't_help_but could_not_help_but can't_help_but sent_shivers sent_a_shiver shiver_down shivers_down down_her_spine down_his_spine down_my_spine breath_she_didn't breath_he_didn't breath_i_didn't hung_in_the_air \
hung_heavy the_weight_of a_sense_of in_that_moment in_those_moments in_this_moment little_did stood_as barely_above_a_whisper barely_a_whisper eyes_sparkled eyes_widened eyes_sparkling silence_stretched a_glimmer_of glimmer_of_hope a_flicker_of a_mix_of a_mixture_of a_blend_of a_world_of a_world_where a_sea_of \
a_reminder_that a_reminder_of the_air_was_thick thick_with heart_pounding heart_pounded heart_raced heart_racing pounding_in time_seemed_to as_if_the_world something_shifted something_deeper for_the_first_time for_what_felt_like for_what_seemed_like the_gravity_of sharp_contrast stark_contrast stark_reminder \
the_hum_of the_scent_of the_echo_of echoes_of whispers_of hint_of a_hint_of ever_present once_again let_out_a took_a_deep_breath with_each_passing with_every_passing deep_within the_depths_of not_just not_merely was_more_than a_promise_of a_language_of nestled_in nestled_between";

const CLICHE_WORDS: &str = "\
tapestry symphony unspoken palpable bittersweet etched shimmering ethereal intricate labyrinth delve~ haunting hauntingly kaleidoscope solace beacon nestled unwavering resonate~ resonance cacophony camaraderie newfound bustling vibrant enigmatic amidst fleeting \
testament whisper~ linger~ echo echoed echoes echoing ghostly tinged mingle~ intertwine~ weave~ wove woven unravel~ transcend~ embrace~ fragile vulnerability profound myriad realm gossamer luminous iridescent ephemeral juxtaposition poignant relentless meticulous meticulously journey yearning pulse~ pulsing cascade~ cascading silhouette~ shattered";
