import { foldText } from './names.ts';

/**
 * Formal names, each with its short forms and nicknames. The table contains only names that are unambiguously used for each other:
 * a wrong line merges two people into one contact. A line does not contain another formal name that only begins alike: Martin and
 * Martina, Karl and Karla are different people.
 */
const TABLE = `
abigail: gail abby abbie abi; abraham: abe bram; adelaide: addie; adrian: adri; agatha: aggie; agnes: aggie
agnieszka: aga; albert: al bert bertie; alberto: beto; alejandra: ale alex; alejandro: ale alex jandro
aleksandr: sasha sascha shura; aleksandra: ola; aleksei: alyosha lyosha
alexander: sandy xander alec lex sascha sasha alex; alexandra: sandra sandy lexi sascha sasha alex alexi
alexandre: alex; alexandros: alex alekos; alexei: alyosha lyosha; alexis: alex lexi; alfred: fred freddy al alf
alistair: ali; allison: allie ally; amanda: mandy mandi; amelia: millie amy; anastasia: nastya ana stacy; andrea: drea
andreas: andi andy; andres: andy; andrew: drew andy; andrzej: jedrek; angela: angie; angelika: geli; ann: annie nancy
anna: anya; anne: annie nancy; annegret: anne; anneliese: anne; annemarie: anne; anthony: tony ant; antoine: toine
anton: toni tony; antonia: toni tonia; antonino: nino; antonio: tono toni tony; archibald: archie; arnold: arnie
arthur: art artie; august: gus gusti; augustine: gus; barbara: babs barb barbie bab babsi basia; bartholomew: bart
beatrice: bea trixie; beatrix: bea trixie; benedict: dick ben; benedikt: ben bene; benjamin: ben benny benji benjy
bernadette: bernie; bernard: bernie; bernd: berni; bernhard: bernd berni; bertha: bertie; bradley: brad
brigitte: gitti gitta; calvin: cal; cameron: cam; carl: charly; carolina: caro lina; caroline: caro carrie line
cassandra: cass cassie; catalina: cata lina; catharina: toos; catherine: kate katie kathy cathy kit kitty cat cath
cecilia: cece celia cissy; charles: chuck chas charlie charley; charlotte: lotte lotta charlie lottie; chester: chet
christian: chris christi krischan; christiane: chris christi; christina: tina kirsty chris chrissy chrissie
christine: tina chrissie chris chrissy; christoph: chris stoffel; christopher: kit topher chris; claudia: claudi
clifford: cliff; clinton: clint; conrad: con; constance: connie; constantin: tino; cornelia: conny connie nelly nele
cornelis: kees cor; curtis: curt; cynthia: cindy; daniel: dan danny dani; daniela: dani; danielle: dani
david: dave davy davey; deborah: debbie deb debby; dennis: den denny; diana: di; dietmar: didi; dietrich: didi
dmitri: dima mitya; dmitry: dima mitya; dolores: lola; domenico: mimmo; dominic: dom nick; dominik: dom
dominique: dom domi; donald: don donnie; donna: don; dorothea: dora thea doro; dorothy: dot dottie dolly dora
douglas: doug; edgar: ed eddie; edmund: ted ned ed eddie; eduard: edi; eduardo: lalo
edward: ted teddy ned ed eddie eddy; edwin: ed eddie; eileen: ellie; ekaterina: katya; eleanor: ellie nell nora elle
elena: lena; eleonore: lore
elisabeth: liz lizzie beth betty lisa lisbeth sissi elli ellie liesl lisl sisi els liesbeth bets
elizabeth: liz lizzie beth betty bess bessie betsy libby lisa eliza ellie elsie liza lizzy; ellen: ellie nell
emanuel: manny; emily: millie em emmy; emma: em emmy; enrique: quique kike; eric: ric; erik: rik; ernest: ernie
ernst: erni; erzsebet: erzsi zsoka; esteban: teban; esther: essie; eugene: gene; eva: evi; evelyn: evie
evgeny: zhenya; ezekiel: zeke; federica: fede; federico: fede rico; felicity: flick; ferdinand: ferdi; ferenc: feri
fernando: fer nando; florence: flossie flo florrie; florian: flo; frances: fanny fran francie frankie
francesca: fran franca; francesco: checco; francis: frank fran; francisca: paca; francisco: paco pancho kiko
francois: fanfan; franklin: frank; frantisek: franta; franz: franzl; franziska: franzi fanni sissi; frederic: fred
frederick: fred freddie freddy fritz; frederik: fred; friedrich: fritz fred fiete; gabriel: gabe gabi
gabriela: gaby gabi; gabriele: gabi; gabrielle: gabi gabby; galina: galya; geoffrey: geoff jeff; georg: schorsch
george: georgie; georgina: georgie gina; gerald: jerry gerry; gerard: jerry gerry; gerardus: gerard
gerhard: gerd gert; gerhardt: gerd; gertrud: trudi gerti traudl; gertrude: trudy gertie; giacomo: jack; gilbert: gil
giorgio: gio; giovanna: gio vanna; giovanni: gianni nanni gio; giuseppe: beppe peppe pino; gloria: glo; grace: gracie
gregor: greg; gregory: greg; grzegorz: grzes grzesiek; guadalupe: lupe; guillermo: memo; gunnar: gurra
gustav: gus gustl; gwendolyn: gwen wendy; hannah: hanna; hannelore: hanne lore; harald: harry; harold: harry hal
heidemarie: heidi; heinrich: heinz heiner heini hein; helen: nell nellie; helena: lena nell; helene: lene leni
helmut: helmi; hendrik: henk rik; henrietta: etta hettie; henry: harry hank hal; herbert: herb herbie; herman: herm
hermann: hermi; horace: horry; howard: howie; hubert: hubi bert; ignacio: nacho; ignatius: iggy; ilona: ili
ingeborg: inge; irina: ira; isaac: ike zac; isabel: chabela bella isa izzy bel belle; isabell: isa
isabella: bella isa izzy; isabelle: isa izzy belle; isidore: izzy; istvan: pista; ivan: vanya; jacob: jake jakey
jacqueline: jackie jacqui; jakob: jockel; jakub: kuba; james: jim jimmy jem jamie jimmie; jane: jenny janie
janet: jan; janos: jani; jaroslav: jarda; jean: jeannie; jeffrey: geoff jeff; jennifer: jenny jen jenn jenni jennie
jeremiah: jerry; jeremy: jem jerry; jerome: jerry; jessica: jess jessie; jesus: chuy; jiri: jirka
joachim: jochen achim jo; joan: joanie; joanna: asia jo; joanne: jo; joao: joca; joaquin: quino; jochen: jo
johann: hans; johanna: hanna hanni jo; johannes: hannes hans jan hansi jo johan joop
john: jack jackie johnny jock jonny; jonathan: jonny jon jonathon johnny; jordan: jordy; jorge: coque; jose: pepe
josef: sepp jupp joe beppi pepa pepik; josefa: pepa; josefine: josi josie fine; joseph: joey joe jos
josephine: jo josie josey; joshua: josh; josip: joso; joyce: joy; jozef: jozek; jozsef: joska; juan: juanito
judith: judy jude judi; julia: juli julie jule jules; julian: jules; julie: jules; julius: jules; kaarina: kaisa
karen: kari; karin: kari; karl: kalle charly kalli; karoline: karo line; katalin: kati kata; katarina: kata kat katja
katarzyna: kasia; katharina: kathi kati kathe kathy katja kat; katharine: kate katie kat
katherine: kate katie kathy cathy kit kitty kay kat kath; kathleen: kath kathy kate katie
kathryn: kate katie kathy kat kath; kazimierz: kazik; kenneth: ken kenny; kimberly: kim kimmy; konrad: konni
konstantin: kostya; krista: kris; kristen: kris; kristian: kris; kristina: kris tina; kristopher: kris
krzysztof: krzysiek; lars: lasse; laszlo: laci; laura: lori; lauren: laurie; laurence: larry; lawrence: larry
leonard: lenny len leo; leonardo: leo leon; leonhard: leo hardy; leopold: leo poldi; leslie: les; lester: les
lewis: lew; lilian: lil lily; lillian: lil lily; linda: lin lindy; lorena: lore; lorenzo: renzo; louis: lou louie
louisa: lou; louise: lou lulu; lucia: lucy; lucille: lucy; ludwig: lutz wiggerl lu; luigi: gigi; luis: lucho
luise: lulu; lydia: lyddie; lyudmila: lyuda; maarten: mart; mackenzie: mac; madeleine: maddy maddie
magdalena: lena magda leni maggie; malcolm: mal; malgorzata: gosia; manfred: manni mani; manuel: manolo manu manny
manuela: manu; marcus: marc; margaret: maggie meg peggy peg greta madge daisy marge margie margo mags peggie
margarete: grete gretl marga; margarita: rita marga; marguerite: margot; maria: masha mimi mia mitzi; marianne: nanni
marie: mimi; marina: rina; marjorie: marge; martha: patty; martin: marty; martina: tina marty; mary: molly polly mamie
mateusz: mati; matilda: tilly; matthew: matty matt mat; matthias: matze matti hias; maureen: mo; maurice: mo maury
max: maxi; maximilian: max maxi; maxwell: max; megan: meg; mehmet: memo; melanie: mel mela; melinda: mel mindy
melissa: mel missy lissa; michael: mike mick micky mickey micha michi mitch; michaela: michi micha
michelle: shelly shell; mikhail: misha; mildred: millie; milton: milt; miriam: miri mimi; mitchell: mitch; mohamed: mo
mohammad: mo; mohammed: mo; monica: mon; monika: moni; morris: mo morrie; muhammad: mo; mustafa: musti; nancy: nan
natalia: natasha; natalie: nat; natasha: tasha; nathan: nat nate; nathaniel: nat nate nathan
nicholas: nick nicky nico; nicola: nicky nic; nicolas: nic nico; nicole: nicky nikki nic; nikola: niko
nikolai: kolya niko; nikolaus: klaus niko nik nico; nils: nisse; norbert: norb bert; norman: norm; olga: olya
oliver: olli ollie oli; olivia: liv livvy ollie; oscar: ossie; oskar: ossi; oswald: ossi ozzie; pamela: pam
patricia: tricia trish patty pat patti; patrick: paddy pat; paul: paulie; paula: polly; pavel: pasha; penelope: penny
per: pelle; peter: pete; petra: peti; petrus: piet peter; philip: pip phil; philipp: phil; phillip: phil
phyllis: phyl; pieter: piet; piotr: piotrek; priscilla: cilla; rachel: rach; rafael: rafa rafi; raimund: mundl
randolph: randy; raphael: raph; raymond: ray; rebecca: becky becca reba; regina: gina; reginald: reg reggie
reinhard: hardy; reinhold: holdi; renate: reni; ricardo: ricky rico; richard: dick rick ricky rich richie dickie
robert: bob bobby bert rob robbie robby; roberta: bobbie robbie; roberto: beto rob; roderick: rod roddy; rodney: rod
roger: rog; roland: rolli; ronald: ronnie ron; rosalie: rosi; rosalind: roz; rosamund: roz; rosario: charo
rosemarie: rosi romy; rosemary: rosie romy; roxanne: roxy; rudolf: rudi; rupert: rupi; russell: russ rusty
ruth: ruthie; sabine: bine sabsi; sabrina: bri; salvador: chava; salvatore: turi; samantha: sam sammy
samuel: sam sammy; sandor: sanyi; sandra: sandy sandi; santiago: santi; sarah: sally sadie
sebastian: basti seb bastian; sergei: seryozha; sergio: checo; sharon: shaz; siegfried: sigi siggi; sigmund: sigi
sigrid: siri; silvia: silvi; simon: si; sofia: sofi; solomon: sol; sonja: sonni; sophia: soph sophie; sophie: soph
stanislaw: staszek; stanley: stan; stefan: steff stef; stefanie: steffi steff stef; stephan: steff steph
stephanie: steffi steph stef steffie stefie; stephen: steve steph ste stevie; steven: steve stevie; stewart: stu
stuart: stu; susan: sue susie suzy suzie; susana: susi susa; susanna: sue susie suzy susi sanna
susanne: susi sanne suse; suzanne: sue suzy; svetlana: sveta; sylvester: sly; sylvia: syl; tabitha: tabby
tamara: tammy tam; tatiana: tanya; tatjana: tanja; teodoro: teo; terence: terry; teresa: tess terry tere tessa
theodor: theo; theodora: thea dora; theodore: ted teddy theo; theodorus: theo; theresa: tess terry tessa
theresia: resi; thomas: tommy tom thom; tiffany: tiff; timothy: tim timmy; tobias: tobi toby; tomasz: tomek
tommaso: tom; trevor: trev; ulrich: uli ulli; ulrike: uli ulli rike; ursula: uschi ursel ulla; vaclav: vasek
valentin: val valli; valentina: vale val; valerie: val; vanessa: nessa; veronica: vero ronnie; veronika: vero vroni
victor: vic; victoria: tori vicky vicki vic tory; viktor: vik; viktoria: viki; vincent: vinnie vince vin
vincenzo: enzo; virginia: ginny ginger; vivian: viv; vivienne: viv; vladimir: vova volodya; waldemar: waldi
walter: wally walt; wendelin: wendel; wesley: wes; wilfred: wilf fred; wilhelm: willi willy wil; willem: wim pim
william: bill billy willie willy will wil; wilma: willa; winfried: winni; winifred: winnie freda; wojciech: wojtek
wolfgang: wolf wolfi; xavier: xavi javi; yelena: lena; yolanda: yoli; yuri: yura; yvonne: yve; zachariah: zach zack
zachary: zack zach zac; zbigniew: zbyszek; zofia: zosia; zoltan: zoli; александр: саша шура; александра: саша шура
алексей: леша алеша; анастасия: настя; анна: аня; борис: боря; валентина: валя; виктория: вика; владимир: вова володя
вячеслав: слава; галина: галя; григорий: гриша; дарья: даша; дмитрий: дима митя; евгений: женя; евгения: женя
екатерина: катя; елена: лена; иван: ваня; ирина: ира; константин: костя; ксения: ксюша; любовь: люба; людмила: люда
мария: маша; михаил: миша; надежда: надя; наталья: наташа; николай: коля; ольга: оля; павел: паша; петр: петя
роман: рома; светлана: света; сергей: сережа; степан: степа; татьяна: таня; федор: федя; юрий: юра
`;

/** The formal names of each short form. */
const FORMAL_NAMES: ReadonlyMap<string, ReadonlySet<string>> = (() => {
  const formal = new Map<string, Set<string>>();
  for (const entry of TABLE.split(/[;\n]/u)) {
    const [name = '', ...nicknames] = foldText(entry).split(' ');
    for (const nickname of nicknames) formal.set(nickname, (formal.get(nickname) ?? new Set()).add(name));
  }
  return formal;
})();

/**
 * Returns the formal names of a folded first name, including the name itself. Two names that may be the same
 * share at least one of them.
 */
export const formalNamesOf = (name: string): ReadonlySet<string> => new Set(FORMAL_NAMES.get(name)).add(name);

/**
 * Returns whether two folded first names may be the same: one is a nickname of the other, or both are short
 * for one name (Bob and Rob).
 */
export const areNicknames = (a: string, b: string): boolean => !formalNamesOf(a).isDisjointFrom(formalNamesOf(b));
