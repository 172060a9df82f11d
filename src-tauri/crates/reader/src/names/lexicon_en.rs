//! Word lists of English names, written for this program. Each word is in small letters.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// The lists that contain a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Word(u32);

/// One list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum List {
    /// Has a capital only because it begins a sentence.
    Common = 1,
    /// Has a capital and is no name: days, months, peoples, interjections.
    NoName = 1 << 1,
    /// Stands before the name of a man.
    TitleOfMan = 1 << 2,
    /// Stands before the name of a woman.
    TitleOfWoman = 1 << 3,
    /// Stands before the name of either.
    Title = 1 << 4,
    /// A verb of speech.
    Speech = 1 << 5,
    /// A verb of feeling, thought or gesture.
    Feeling = 1 << 6,
    /// Another verb in a past form that does not end with `ed`, or an auxiliary.
    Verb = 1 << 7,
    /// The last word of names of places.
    PlaceNoun = 1 << 8,
    /// The last word of names of organisations.
    GroupNoun = 1 << 9,
    /// A country, a city or a continent.
    Place = 1 << 10,
    /// A given name of men.
    Man = 1 << 11,
    /// A given name of women.
    Woman = 1 << 12,
    /// A relation or a part of the body: what a person has.
    Own = 1 << 13,
    /// An adjective or noun directly before the name of a person.
    Epithet = 1 << 14,
    /// A preposition of place.
    Inside = 1 << 15,
    /// A preposition of direction.
    Towards = 1 << 16,
    /// A preposition of persons.
    With = 1 << 17,
    /// A word of a name in small letters.
    Particle = 1 << 18,
    /// The usual form of an address with a title only.
    Abbreviation = 1 << 19,
}

impl Word {
    pub(crate) fn is(self, list: List) -> bool {
        self.0 & list as u32 != 0
    }

    /// Whether the word is a title of any kind.
    pub(crate) fn is_title(self) -> bool {
        self.is(List::Title) || self.is(List::TitleOfMan) || self.is(List::TitleOfWoman)
    }

    /// Whether the word is a given name that lists know.
    pub(crate) fn is_given(self) -> bool {
        self.is(List::Man) || self.is(List::Woman)
    }
}

static WORDS: LazyLock<FxHashMap<&'static str, Word>> = LazyLock::new(|| {
    let mut words: FxHashMap<&'static str, Word> = FxHashMap::default();
    for (list, content) in LISTS {
        for word in content.split_ascii_whitespace() {
            words.entry(word).or_default().0 |= *list as u32;
        }
    }
    words
});

/// The lists that contain a word, given in small letters.
pub(crate) fn look_up(word: &str) -> Word {
    WORDS.get(word).copied().unwrap_or_default()
}

/// The names of which a short form is a diminutive.
pub(crate) fn full_names(short: &str) -> &'static [&'static str] {
    DIMINUTIVE_PAIRS.0.get(short).map_or(&[], Vec::as_slice)
}

/// The diminutives of a name.
pub(crate) fn short_names(full: &str) -> &'static [&'static str] {
    DIMINUTIVE_PAIRS.1.get(full).map_or(&[], Vec::as_slice)
}

type Related = FxHashMap<&'static str, Vec<&'static str>>;

/// Full names by short ones, and short names by full ones.
static DIMINUTIVE_PAIRS: LazyLock<(Related, Related)> = LazyLock::new(|| {
    let (mut by_short, mut by_full) = (Related::default(), Related::default());
    for line in DIMINUTIVES.split('/') {
        let mut names = line.split_ascii_whitespace();
        let Some(full) = names.next() else { continue };
        for short in names {
            by_short.entry(short).or_default().push(full);
            by_full.entry(full).or_default().push(short);
        }
    }
    (by_short, by_full)
});

const LISTS: &[(List, &str)] = &[
    (List::Common, COMMON),
    (List::NoName, NO_NAME),
    (List::TitleOfMan, TITLES_OF_MEN),
    (List::TitleOfWoman, TITLES_OF_WOMEN),
    (List::Title, TITLES),
    (List::Abbreviation, "mr mrs ms dr prof capt col gen lt lieut maj sgt rev hon st mme mlle m messrs esq jr sr"),
    (List::Speech, SPEECH),
    (List::Feeling, FEELING),
    (List::Verb, VERBS),
    (List::PlaceNoun, PLACE_NOUNS),
    (List::GroupNoun, GROUP_NOUNS),
    (List::Place, PLACES),
    (List::Man, MEN),
    (List::Woman, WOMEN),
    (List::Own, OWN),
    (List::Epithet, EPITHETS),
    (List::Inside, "in at near inside outside throughout around beyond"),
    (List::Towards, "from to into towards toward through across via leaving reached left visiting outside"),
    (List::With, "with by for beside between against behind upon about"),
    (List::Particle, "de la le du des von van der den di da del dela d' af ter ten dos das y el al ibn ben"),
];

const COMMON: &str = "\
a an the and or but nor if then else than that this these those there here i me my mine myself you your yours yourself he him his himself \
she her hers herself it its itself we us our ours ourselves they them their theirs themselves one ones am is are was were be been being do does \
did doing done have has had having will would shall should can could may might must ought of in on at by for with without from to into onto out \
up down off over under about against between through during before after above below again further as so too very just also only own same such \
not no what which who whom whose when where why how all any both each few more most other some i'm i've i'd i'll you're you've you'd you'll he'd \
he'll he's she'd she'll she's it's it'd it'll we're we've we'd we'll they're they've they'd they'll that's there's here's what's who's where's \
isn't aren't wasn't weren't don't doesn't didn't haven't hasn't hadn't won't wouldn't shan't shouldn't can't cannot couldn't mightn't mustn't \
needn't let's let ain't 'tis tis 'twas twas yes no yea nay oh ah aha alas hullo hello halloo hallo hi hey ho o eh well now never always often \
sometimes perhaps maybe indeed certainly surely really still yet though although because since while whilst until till unless whether \
however moreover nevertheless therefore thus hence meanwhile otherwise besides instead finally suddenly presently once twice first \
second third secondly thirdly next last another every everybody everyone everything nobody none nothing somebody someone something anybody \
anyone anything many much several half little less least enough quite rather almost nearly even ever either neither good great old new \
young poor dear long short high low large small big true false right wrong left come go get give take make see look hear listen think know \
say tell ask speak stop wait stay keep put set run walk stand sit lie turn open shut close help please thank thanks pray excuse forgive \
pardon remember forget believe suppose imagine consider observe mind never nonsense stuff rubbish damn bless hang curse farewell goodbye \
good-bye adieu bravo hurrah hurray welcome away back home tomorrow to-morrow today to-day tonight to-night yesterday soon early late \
morning evening afternoon night day year month week hour minute time times man men woman women boy boys girl girls child children people \
person gentleman gentlemen ladies fellow friend friends sir madam ma'am ma mam miss mister chapter book part volume scene act letter \
note contents preface introduction prologue epilogue appendix page vol no's two three four five six seven eight nine ten eleven twelve \
twenty thirty forty fifty hundred thousand upon within beyond beneath beside behind among amongst amid across along around round near \
toward towards despite except like unlike save whatever whoever whichever wherever whenever why's how's whereas wherefore hitherto \
thereupon whereupon accordingly consequently apparently evidently obviously clearly possibly probably naturally unfortunately fortunately \
happily luckily immediately directly instantly slowly quickly quietly gently softly silently gradually occasionally generally usually \
seldom rarely hardly scarcely barely merely simply exactly precisely perfectly absolutely altogether entirely dearest darling worse better best \
worst nor's god's ay aye pooh pshaw tut bah fie mine's thy thou thee thine ye hast hath art wilt shalt dost doth here's being having seeing \
hearing knowing thinking looking taking going coming standing sitting turning seated dressed born tired struck left given taken made \
seen heard lost gone bring call carry catch cut draw drink drive drop eat fall feel fight find follow hold hope hurry jump kill laugh lay lead \
learn leave lend lift light live love meet move need pass pay play pull push read ride rise send show shoot sing sleep smell smile spend start \
strike swear talk teach throw touch try understand use want wash watch wear weep win wish wonder work write yield dead alive fine nice pretty \
beautiful happy sad sorry glad sure certain impossible possible strange odd curious queer wonderful terrible horrible awful dreadful red \
blue green black white grey gray brown yellow golden dark bright cold hot warm cool wet dry empty full heavy soft hard quick slow quiet silent \
loud clear deep free common plain simple wild proud brave noble holy sacred royal unto ere lest amidst albeit item ditto ha hah hum hem hist \
hush whew ugh wow ok okay ahem mayn't daren't there'd that'd that'll who'd who'll what'll shan't won't've one's somebody's nobody's everybody's";

const NO_NAME: &str = "\
monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays january \
february march april june july august september october november december christmas easter michaelmas whitsuntide lent thanksgiving \
halloween xmas god heaven heavens providence almighty bible scripture scriptures gospel christianity english french german italian spanish \
american british irish scottish scotch welsh dutch russian chinese japanese indian african european asian american greek roman latin hebrew \
arab arabic turkish persian egyptian polish hungarian austrian swiss swedish norwegian danish portuguese mexican canadian australian \
christian christians catholic catholics protestant protestants jew jews jewish moslem muslim hindu buddhist puritan puritans quaker \
englishman englishmen englishwoman frenchman frenchmen frenchwoman irishman irishmen scotchman scotsman welshman dutchman germans italians \
spaniards spaniard russians americans europeans indians africans greeks romans turks negro negroes norman saxon gothic tory tories \
whig whigs republican democrat conservative conservatives socialist liberal i'm i've i'd i'll ii iii iv vi vii viii ix xi xii xiii xiv xv \
esq mr mrs esquire tv ok pm bc ad usa uk us mp etc nb ps fate nature fortune time death love government war state press church crown majesty highness excellency lordship ladyship worship holiness sir madam ma'am mamma papa mama mum mom mummy dad daddy ma pa \
huh h'm hm humph faugh phew pho yep nope amen begorra sapristi behold whoa haw-haw ugh-ugh aw gee gosh golly jove lor lawks d'you y'know \
imperial oriental confederate presbyterian methodist anglican lutheran virginian bohemian cornish elizabethan victorian renaissance";

const TITLES_OF_MEN: &str = "\
mr mister sir lord master monsieur m messrs signor signore senor señor don herr uncle father brother grandfather king prince duke earl baron \
count viscount marquis marquess emperor czar tsar sultan squire abbot bishop archbishop pope rabbi friar baronet abbé abbe mynheer \
sheikh pasha mahatma sheik duc comte chevalier";

const TITLES_OF_WOMEN: &str = "\
mrs miss ms lady madame madam mme mademoiselle mlle dame mistress signora signorina senora señora senorita señorita dona donna frau fraulein \
fräulein aunt auntie aunty sister mother grandmother queen princess duchess countess baroness viscountess marchioness empress abbess nurse \
granny widow duchesse comtesse missis missus";

const TITLES: &str = "\
dr doctor professor prof captain capt cap'n colonel col major maj general gen lieutenant lieut lt sergeant sgt corporal private admiral \
commodore commander judge justice president governor senator rev reverend cousin inspector detective superintendent officer constable \
sheriff chief chancellor cardinal comrade parson deacon elder citizen hon honourable honorable secretary mayor minister dowager ensign \
cadet brigadier marshal chaplain vicar dean canon alderman councillor magistrate ambassador consul premier coach agent saint";

const SPEECH: &str = "\
said says say replied replies reply cried cries cry asked asks ask answered answers answer exclaimed exclaims whispered whispers murmured \
murmurs muttered mutters shouted shouts returned repeated repeats observed observes remarked remarks added adds continued continues \
began begins resumed rejoined retorted responded responds declared declares inquired inquires enquired enquires demanded demands called \
calls ejaculated interrupted interposed protested protests suggested suggests explained explains announced announces admitted admits agreed \
agrees insisted insists persisted persists urged urges begged begs pleaded pleads warned warns growled grumbled groaned moaned sighed \
sobbed gasped panted stammered stuttered faltered hissed snapped snarled barked roared bellowed yelled screamed shrieked wailed whined \
whimpered chuckled giggled sneered scoffed mused reflected thought concluded confessed assented acquiesced proceeded pursued went \
quoth drawled mumbled breathed sang chimed put told tells tell spoke speaks speak argued affirmed asserted assured commented conceded \
corrected countered confirmed echoed lamented objected ordered commanded prompted quipped ventured volunteered vociferated bawled \
blurted cautioned challenged hazarded hinted implored jested jeered joked laughed opined piped pronounced queried reminded reported \
scolded snorted spluttered sputtered squeaked thundered wondered stated conjectured intimated instructed recited remonstrated reiterated \
soliloquized specified spouted squealed swore tittered trilled uttered vowed crowed cooed croaked gurgled rasped rumbled wheezed \
informed apologized apologised boasted bragged complained counselled advised dictated digressed divulged emphasized enthused estimated \
expostulated exulted gibed grunted gulped inserted jabbered jibed lied marvelled mimicked mocked moped nagged offered parried praised \
promised proposed quavered quoted raged ranted read reassured recalled reckoned recounted related remembered replied requested revealed \
saluted sniffed sniggered spat stressed submitted summarized summed taunted teased testified threatened translated";

const FEELING: &str = "\
felt feels feel thought thinks think knew knows know wished wishes hoped hopes feared loved loves hated hates liked likes wanted wants \
believed believes supposed imagined remembered forgot smiled smiles laughed laughs wept frowned nodded nods shrugged blushed sighed \
grinned stared gazed glanced looked looks seemed listened heard hears saw sees noticed watched wondered decided resolved hesitated paused \
shook walked sat stood rose turned went came ran took gave got put made found left entered trembled shuddered started started \
kissed bowed curtsied coughed whistled yawned slept woke dreamed understood understands perceived observed recognized recognised \
recollected admired despised pitied trusted regretted rejoiced suffered determined meant intended tried consented refused \
persuaded married lived lives died dressed ate drank dined rode drove wore carried held threw caught drew pulled pushed pointed \
waited leaned leant bent knelt lay crossed uncrossed folded lifted raised lowered dropped opened closed shut clutched seized \
seated coloured colored flushed";

const VERBS: &str = "\
was were is are has had have did does do would could should will shall may might must can been became become began brought built bought fell \
fought flew kept led let lost met paid read rang rode said sang sent set shone shot showed spent swore swung taught told thought understood \
woke won wrote ought used needs never always also still then now";

const PLACE_NOUNS: &str = "\
street streets road lane avenue square place park hall house houses court castle cottage abbey hill hills mount mountain mountains river lake \
sea ocean island islands isle isles bay bridge inn hotel tavern church chapel cathedral station city town village county valley forest \
wood woods grove farm lodge manor terrace crescent gardens garden buildings building row market gate tower port harbour harbor fort camp \
college university school hospital prison theatre theater museum library room rooms coast creek cape desert plains ranch wells pond \
falls canyon pass heath moor indies states channel downs dale cliff cliffs beach shore head boulevard alley priory convent monastery \
palace temple docks wharf quay pier mill mills parish cemetery churchyard settlement colony republic kingdom empire province region \
district plantation estate grange rectory vicarage parsonage villa mansion mountains springs landing point peninsula gulf strait \
land lands arms rd st ave head";

const GROUP_NOUNS: &str = "\
company society club committee bank office army navy regiment party league association guild council parliament ministry department \
press journal times gazette herald news tribune post chronicle board commission corporation corps brigade police union institute academy \
commons lords congress senate cabinet agency service firm bros brothers sons co inc ltd rifles guards reformer sun globe star echo telegraph";

const PLACES: &str = "\
england scotland ireland wales britain france germany italy spain portugal russia austria hungary poland prussia switzerland belgium holland \
netherlands norway sweden denmark finland greece turkey egypt india china japan persia arabia africa asia europe america australia canada \
mexico brazil peru chile cuba jamaica bermuda iceland siberia ukraine israel palestine syria iraq iran afghanistan pakistan vietnam korea \
thailand singapore malaya burma ceylon zealand london paris berlin vienna rome venice florence naples milan madrid lisbon moscow petersburg \
constantinople athens cairo jerusalem bombay calcutta delhi peking shanghai tokyo york boston philadelphia chicago washington baltimore \
orleans francisco angeles dublin edinburgh glasgow liverpool manchester birmingham bristol oxford cambridge bath brighton dover portsmouth \
plymouth southampton exeter york leeds sheffield newcastle kent essex sussex surrey devon devonshire cornwall dorset somerset norfolk suffolk \
yorkshire lancashire derbyshire hampshire wiltshire gloucestershire shropshire cheshire lincolnshire northumberland cumberland westmoreland \
virginia carolina georgia kentucky tennessee texas california ohio illinois indiana michigan wisconsin minnesota iowa missouri kansas \
nebraska colorado arizona nevada utah oregon montana idaho wyoming dakota alabama mississippi louisiana arkansas oklahoma massachusetts \
connecticut vermont maine pennsylvania maryland delaware jersey florida brooklyn manhattan harlem broadway piccadilly westminster \
soho mayfair chelsea kensington hampstead holborn whitehall brussels antwerp amsterdam rotterdam hamburg munich dresden frankfurt cologne \
geneva zurich lyons marseilles bordeaux normandy brittany provence burgundy gascony lorraine alsace bavaria saxony bohemia transylvania \
sicily malta gibraltar corfu crete mediterranean atlantic pacific thames seine rhine danube nile ganges alps pyrenees himalayas \
hong bangkok budapest prague warsaw stockholm oslo copenhagen helsinki toronto montreal quebec ottawa vancouver sydney melbourne";

const MEN: &str = "\
john james william thomas george charles henry edward robert richard joseph david daniel samuel benjamin peter paul michael andrew stephen philip \
francis frank frederick fred walter arthur albert alfred ernest harold herbert hugh edmund edgar edwin ralph roger simon matthew mark luke \
martin anthony nicholas christopher patrick dennis gerald geoffrey gilbert godfrey gregory harry jack tom dick will bill bob ben sam joe jim \
tim dan jem ned ted teddy tony nick mike pat phil steve dave andy alec alexander alan allan allen adam aaron abel abraham abe adrian albert \
ambrose amos archibald archie barnaby barry bartholomew basil bernard bertram bert boris brian bruce caleb calvin carl cecil cedric chris clarence claude \
clement clifford clive colin cornelius curtis cuthbert cyril cyrus darcy donald douglas duncan dylan ebenezer elias elijah eli emil eric eugene \
evan ezra felix ferdinand fergus gabriel gareth gavin giles gordon graham guy hector henri herman homer horace howard humphrey ian ichabod ira \
isaac ivan ivor jacob jake jason jasper jeffrey jeremiah jeremy jerome jerry jesse joel jonah jonas jonathan josh joshua josiah jules julian julius \
justin karl keith kenneth kevin lambert lancelot larry laurence lawrence leo leon leonard leopold leslie lewis lionel louis lucas lucius ludwig \
malcolm marcus marmaduke maurice max maximilian miles morris mortimer moses nathan nathaniel neil nigel noah noel norman oliver oscar otto owen \
percival percy pierre quentin raymond reginald reuben rex roderick rodney roland ronald rory rowland rudolf rudolph rufus rupert russell seth \
sebastian septimus sidney sydney silas solomon stanley stuart sylvester terence theodore theophilus timothy tobias toby tommy tristram ulysses \
vernon victor vincent wallace warren wilfred willie willy johnny jimmy billy bobby charlie charley georgie eddie freddy frankie jackie joey \
jean jacques françois antonio carlos diego fernando francisco giovanni giuseppe hans heinrich johann jose josé juan klaus luigi manuel miguel \
pablo paolo pedro pietro ramon stefan vladimir wilhelm wolfgang yuri sergei dmitri alexei mikhail nikolai fyodor igor ahmed ali hassan ibrahim \
mohammed omar yusuf ethan aiden liam logan mason jackson caleb tyler ryan brandon dylan kyle sean scott jordan cody derek travis chad trevor \
todd gary wayne roy glenn earl lloyd floyd elmer chester clyde virgil homer wilbur orville hiram huck jock armand paul bartley";

const WOMEN: &str = "\
mary anne ann anna elizabeth jane margaret sarah catherine katherine katharine alice emily emma charlotte caroline harriet henrietta louisa \
maria martha ellen helen eleanor frances fanny grace hannah isabel isabella isabelle jessie julia kate kitty laura lucy lydia mabel maud may \
mildred molly nancy nora olive penelope phoebe polly rachel rebecca rosa rose rosamond ruth sally sophia sophie sophy susan susanna susannah \
sylvia theresa teresa ursula victoria violet virginia winifred agatha agnes adela adelaide adele ada amelia amy angela annabel annie \
arabella audrey augusta aurora barbara beatrice becky belinda bella bertha bess bessie beth betsy betsey betty biddy blanche bridget camilla carrie \
cassandra cecilia cecily celia clara clarissa claire constance cora cordelia cynthia daisy daphne deborah delia diana dinah dolly dora \
doris dorothea dorothy edith edna effie eliza ella elsie elvira esther ethel etta eugenia eunice eva eve evelina eveline evelyn felicia \
flora florence flossie frieda genevieve georgiana geraldine gertrude gladys gwen gwendolen hester hetty hilda honor hope ida imogen irene iris \
ivy jemima jenny jennifer joan joanna josephine joy joyce judith judy juliet justine lavinia leah lena leonora letitia lettice lilian lillian \
lily linda lizzie lizzy lois lottie lucia lucinda madeleine madeline madge maggie maisie marcia margery marian marianne marie marion marjorie \
matilda maureen meg melissa mercy millicent millie mina minna minnie miranda miriam mollie monica muriel myra nell nellie nelly netta nina \
olivia ophelia pamela patience patricia patty pauline pearl peggy philippa priscilla prudence rosalind rosalie rosemary rosie roxana \
sabina selina serena sheila sibyl sybil stella tabitha tess thea thelma tilly trixie vera veronica viola vivian wilhelmina winnie zoe \
natalia natasha olga tatiana sonia anastasia katya masha sofia carmen dolores inez juanita lucia giulia francesca bianca chiara \
yvonne simone colette odette gabrielle brigitte greta heidi ingrid elsa hedwig liesel fatima aisha leila yasmin jessica ashley amanda \
stephanie nicole heather megan rachel lauren samantha emma chloe zoe madison hailey kayla brittany danielle crystal tiffany amber kimberly \
lisa karen donna sandra sharon debra carol tuppence beatrix griselda ysabel";

const OWN: &str = "\
father mother brother sister son daughter wife husband uncle aunt cousin nephew niece friend friends family parents child children baby \
servant maid master mistress lover face eyes eye hand hands arm arms head hair voice heart mind soul lips mouth cheek cheeks brow forehead \
shoulder shoulders neck back feet foot legs knees fingers finger smile laugh tears spirits feelings temper character conduct manner \
manners opinion side absence presence death life birth marriage room chair arm elbow glance gaze look words word answer reply tone breath \
expression countenance mood thoughts thought attention nose ears ear throat chest breast pocket coat hat";

const EPITHETS: &str = "\
dear poor old young little dearest good honest sweet friend cousin brother sister uncle aunt nephew niece son daughter wife husband \
detective servant maid nurse doctor lawyer priest poet captain squire named called miss master mistress nicknamed beautiful lovely \
handsome pretty brave clever wise wicked cruel unhappy unfortunate";

const DIMINUTIVES: &str = "\
elizabeth lizzy lizzie eliza beth betsy betsey betty bess bessie libby liz/catherine kitty kate cathy katy katie/katherine kate kitty kathy katy \
katie/katharine kate kitty katy katie/margaret meg maggie peggy madge daisy greta rita/mary molly polly mollie may mamie/sarah sally sadie/\
anne nancy nan annie/anna annie nan/ann annie nancy/harriet hetty hattie/henrietta hetty etta/charlotte lottie charley/caroline carrie caro \
lina/frances fanny frankie/susan sue susie sukey/susanna susie sukey/sophia sophy sophie/isabella bella isa/isabel bella/jane jenny janey/\
eleanor nell nelly nellie nora ellie/ellen nell nelly nellie/helen nell nellie/dorothy dolly dot dora/dorothea dolly dora dodo/matilda tilly/\
louisa lou/theresa tess tessa terry/rebecca becky/bridget biddy/deborah deb debby/abigail abby/martha patty mattie/victoria vicky/\
josephine jo josie/william will bill billy willie willy liam/robert bob bobby rob robbie robin bert/richard dick dicky rick ricky/thomas tom \
tommy/john jack johnny/james jim jimmy jem jamie/charles charlie charley chuck/henry harry hal hank/edward ned ted teddy eddie/edmund ned \
ted/frederick fred freddy freddie fritz/francis frank/benjamin ben benny/samuel sam sammy/joseph joe joey/daniel dan danny/david dave davy/\
michael mike mick mickey/nicholas nick/christopher kit chris/anthony tony/andrew andy drew/alexander alec alex sandy sasha/albert bert \
bertie al/arthur artie/walter wat wally walt/matthew matt/stephen steve/timothy tim/patrick pat paddy/philip phil pip/peter pete/lawrence \
larry laurie/archibald archie/theodore ted teddy/gregory greg/jeffrey jeff/kenneth ken/donald don/ronald ron/raymond ray/leonard len leo/\
abraham abe/jonathan jon/nathaniel nat/reginald reggie/gilbert gil bertie/gerald gerry jerry/jeremiah jerry/penelope penny/barbara babs/\
beatrice bea trixie/cecilia celia cissy/cordelia delia/emily emmy em/emma em emmy/florence flo flossie/gertrude trudy gertie/jennifer \
jenny jen/jessica jess jessie/judith judy/leonora nora/letitia letty/lucy lu/lydia lyddy/mildred millie milly/millicent millie milly/\
pamela pam/patricia pat patty/priscilla prissy cilla/rosamond rosa/susannah sukey susie/veronica ronnie/virginia ginny/winifred winnie/\
wilhelmina mina minnie/huckleberry huck/prudence tuppence prue/stevens steve";
