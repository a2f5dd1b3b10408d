import { foldText } from './names.ts';

/**
 * Formal names, each with the nicknames that are no short form of it: a prefix such as Ben for Benjamin agrees by itself.
 * Only names that people use for each other without doubt: a wrong line here makes one contact of two people.
 */
const TABLE = `
abigail: gail
alexander: sandy xander alec lex sascha sasha
alexandra: sandra sandy lexi sascha sasha
alfred: fred freddy
andrew: drew
andrea: drea
ann: annie nancy
anne: annie nancy
anthony: tony
antonia: toni
antonio: tono toni
barbara: babs
benedict: dick
charles: chuck chas
christina: tina kirsty
christine: tina chrissie
christopher: kit topher
deborah: debbie
dolores: lola
dorothy: dot dottie dolly
edmund: ted ned
eduardo: lalo
edward: ted teddy ned
eleanor: ellie nell nora
elizabeth: liz lizzie beth betty bess bessie betsy libby lisa
elisabeth: liz lizzie beth betty lisa lisbeth sissi
emily: millie
enrique: quique kike
eugene: gene
florence: flossie
frances: fanny
francesco: checco
francisco: paco pancho kiko
francois: fanfan
friedrich: fritz
gabriela: gaby
gerald: jerry
gerard: jerry
giovanni: gianni nanni
giuseppe: beppe peppe pino
guadalupe: lupe
guillermo: memo
heinrich: heinz
helena: lena nell
henry: harry hank hal
ignacio: nacho
isabel: chabela bella
isabella: bella
jacob: jake
jacqueline: jackie
james: jim jimmy jem
jane: jenny
janet: jan
jean: jeannie
jeffrey: geoff
jennifer: jenny
jesus: chuy
johannes: hannes hans jan
john: jack jackie johnny jock
jonathan: jonny
jorge: coque
jose: pepe
josef: sepp jupp
joseph: joey
joshua: josh
juan: juanito
karl: kalle
katharina: kathi kati
katherine: kate katie kathy cathy kit kitty kay
catherine: kate katie kathy cathy kit kitty
kathryn: kate katie kathy
laurence: larry
lawrence: larry
leonard: lenny
luigi: gigi
luis: lucho
magdalena: lena
manuel: manolo
margaret: maggie meg peggy peg greta madge daisy
margarete: grete gretl
martha: patty
mary: molly polly
matilda: tilly
matthew: matty
michael: mike mick micky mickey
michelle: shelly
nathaniel: nat
nicholas: nick nicky
nikolaus: klaus
patricia: tricia trish patty
patrick: paddy
penelope: penny
philip: pip
rebecca: becky becca
richard: dick rick ricky
robert: bob bobby bert
roberto: beto
ronald: ronnie
rosario: charo
salvatore: turi
sarah: sally sadie
sebastian: basti
stephen: steve
stephanie: steffi
susan: sue susie suzy
susanna: sue susie suzy
teresa: tess terry
theodore: ted teddy
theresa: tess terry
thomas: tommy
ulrich: uli
victoria: tori vicky vicki
vincent: vinnie
virginia: ginny
walter: wally
wilhelm: willi willy
william: bill billy willie willy
zachary: zack
agnieszka: aga
aleksandra: ola
joanna: asia
katarzyna: kasia
krzysztof: krzysiek
malgorzata: gosia
stanislaw: staszek
aleksandr: sasha sascha shura
anastasia: nastya
dmitri: dima mitya
dmitry: dima mitya
ekaterina: katya
evgeny: zhenya
ivan: vanya
maria: masha
mikhail: misha
natalia: natasha
nikolai: kolya
sergei: seryozha
tatiana: tanya
vladimir: vova volodya
александр: саша шура
александра: саша шура
алексей: леша алеша
анастасия: настя
анна: аня
виктория: вика
владимир: вова володя
григорий: гриша
дарья: даша
дмитрий: дима митя
евгений: женя
евгения: женя
екатерина: катя
елена: лена
иван: ваня
константин: костя
ксения: ксюша
мария: маша
михаил: миша
наталья: наташа
николай: коля
ольга: оля
павел: паша
петр: петя
сергей: сережа
татьяна: таня
`;

/** The formal names that a name may stand for, by name. */
const FORMAL_NAMES: ReadonlyMap<string, ReadonlySet<string>> = (() => {
  const formal = new Map<string, Set<string>>();
  for (const line of TABLE.trim().split('\n')) {
    const [name = '', ...nicknames] = foldText(line).split(' ');
    for (const nickname of nicknames) formal.set(nickname, (formal.get(nickname) ?? new Set()).add(name));
  }
  return formal;
})();

const NONE: ReadonlySet<string> = new Set();

/** A beginning of fewer letters is one of too many names. */
const MINIMUM_SHORT_FORM = 3;

const isNicknameOf = (nickname: string, name: string): boolean => {
  if (FORMAL_NAMES.get(nickname)?.has(name)) return true;
  return nickname.length >= MINIMUM_SHORT_FORM && name.startsWith(nickname);
};

/** Whether two folded first names may be one: one is a nickname of the other, or both stand for one name (Bob and Rob). */
export const areNicknames = (a: string, b: string): boolean => {
  const [first, second] = [FORMAL_NAMES.get(a) ?? NONE, FORMAL_NAMES.get(b) ?? NONE];
  return (
    [...first].some((name) => name === b || isNicknameOf(b, name)) || [...second].some((name) => isNicknameOf(a, name))
  );
};
