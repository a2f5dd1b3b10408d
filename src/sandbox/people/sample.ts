import { EMPTY_PERSON, type LabelledText, type Person, type PersonAddress } from './person.ts';

/**
 * The sample people. Their domains are reserved for examples (RFC 2606), and their phone numbers are fictional. The columns are
 * given name, family name, email addresses, phone numbers, company, title and groups, separated by `|`. A semicolon separates
 * values, and a colon follows the label of a value. Further columns are `key=value`.
 */
const TABLE = `
Olivia|Walker|home:olivia.walker@example.com|mobile:(415) 555-0101|Blue Heron Realty|Realtor|Clients;VIP
Tyler|O'Neill|tyler@example.org;work:t.oneill@cascade.test|+1 212-555-0102|Cascade Robotics Inc.|CEO|Clients|birthday=1979-11-03
Mary Ann|St. James|home:Mary.StJames@Example.net|mobile:646.555.0103; work:646.555.0104 ext. 12|||Book club|suffix=PhD
DeShawn|Brooks|deshawn.brooks@example.com|+1 (702) 555 0105||VP of Sales|Leads|nickname=Ace|notes=Met at the trade fair in Lyon.
||office@miller-sons.test|work:1-303-555-0106|Miller & Sons LLC||Vendors|web=www.miller-sons.test|work=480 Elm Street;Denver;CO;80202;United States
Siân|ap Rhys|sian@example.com|mobile:+44 7700 900101|Thistle Analytics|Managing Director|Clients|home=2 Rose Lane;Caerdydd;Wales;CF10 3AT;
Oliver|Smith-Jones|work:o.smithjones@harbour-books.test|07700 900 102|Harbour Books|Editor|Press;VIP
Priya|Patel|home:priya.patel@example.org|work:020 7946 0103|Thistle Analytics|Solicitor|Clients;Leads|birthday=--05-28
Zoé|Lefèvre|zoe.lefevre@example.com|mobile:+33 6 39 98 01 01|L'Atelier Bézier|Gérante|Clients|home=12 rue de la Paix;Paris;Île-de-France;75002;France
Jean-Pierre|D'Aboville|home:jp@example.net;work:jp.daboville@rhone.test|06.39.98.01.02|Crédit du Rhône|Notaire|Vendors|prefix=Me
He\u0301le\u0300ne|Be\u0301zier|helene.bezier@example.com|01 99 00 01 03|||Relatives|notes=Her name is stored with combining marks.
Jürgen|Groß|home:juergen.gross@example.org|+49 30 23125 101|Groß & Söhne GmbH|Vertriebsleiter|Clients|work=Am Schloßpark 7;Berlin;;10115;Deutschland
Käthe|von der Heide|kaethe@example.com|030/23125102|||Relatives;Close friends|birthday=1948-02-29|notes=🎂 loves carrot cake
Lukas|MÜLLER|lukas.mueller@example.net|(030) 23125-103|Köpfchen Verlag|Lektor|Press
Anna|Bauer|anna.bauer@example.com|work:030 23125 100|Bäckerei Jäger KG|Steuerberaterin|Vendors
Anna|Bauer|home:a.bauer@example.org|mobile:0171 3920 104||Designerin|Close friends
Sören|Jäger|work:soeren@jaeger.test|work:030 23125 100|Bäckerei Jäger KG|Inhaber|Vendors
Lea|Jäger|work:lea@jaeger.test|work:030 23125 100|Bäckerei Jäger KG|Bäckerin|
||info@jaeger.test|work:030 23125 100|Bäckerei Jäger KG||Vendors|work=Königsallee 3a;Berlin;;10117;Deutschland
María José|García Núñez|mj.garcia@example.com|+34 600 000 101|Ibáñez y Asociados S.L.|Abogada|Clients|home=Calle de Alcalá 45;Madrid;Madrid;28014;España
Íñigo|Etxeberria Peña|inigo@example.org|91 000 01 02||Jefe de compras|Leads
João|Gonçalves da Silva|joao.goncalves@example.com;joao@example.net|+55 11 90000-0101|Padaria Açaí Ltda.|Sócio|Clients;Alumni 2009
Zeynep|Yıldız|zeynep.yildiz@example.com|+90 555 000 01 01|Işık Mimarlık|Mimar|Leads
Łukasz|Żółkiewski|lukasz@example.org|+48 600 000 101|Żubr Logistyka|Kierowca|Vendors|birthday=1990-04-12
Þórdís|Jónsdóttir|thordis@example.com|+354 555 0101|||Book club|home=Laugavegur 10;Reykjavík;;101;Ísland
Astrid|Øvergård|astrid@example.net|mobile:+47 55 50 01 01|Fjell & Sjø AS|Daglig leder|Clients;VIP|web=https://blog.example.org/astrid
Eeva|Mäkelä|eeva.makela@example.com|+358 45 550 0101||Lääkäri|Relatives
Zsófia|Nagy|zsofia@example.org|+36 20 555 0101|Tűzhely Kft.|Ügyvezető|Leads
Jiří|Dvořák|jiri.dvorak@example.com|+420 555 000 101|Říp s.r.o.|Účetní|Vendors
Nguyễn|Văn Đức|duc.nguyen@example.com|+84 90 000 0101|Phở Xưa|Đầu bếp|Close friends
Nguyễn|Thị Hồng|hong.nguyen@example.com|+84 90 000 0102|||
Sukarno||sukarno@example.org|+62 812-0000-0101|Warung Kopi|Pemilik|Vendors
Γιώργος|Παπαδόπουλος|giorgos@example.com|+30 210 000 0101|Ελαιώνας ΑΕ|Γεωπόνος|Clients|home=Ερμού 12;Αθήνα;;105 63;Ελλάδα
Ελένη|Νικολάου|eleni.nikolaou@example.org|+30 690 000 0102|||Book club
Анна|Кузнецова|anna.kuznetsova@example.com|+7 900 000-01-01|ООО «Север»|Бухгалтер|Clients
Дмитрий|Соловьёв|d.soloviev@example.org|8 (900) 000-01-02||Инженер|Alumni 2009
Олена|Шевченко|olena@example.com|+380 50 000 0101|Калина|Перекладачка|Leads|birthday=1985-08-24
Ивана|Јовановић|ivana.jovanovic@example.net|+381 60 000 0101|||Close friends
ნინო|გელაშვილი|nino@example.com|+995 555 00 01 01|თბილისი დიზაინი|დიზაინერი|Leads
أحمد|الهاشمي|ahmad@example.com|+971 50 000 0101|شركة النخيل|مدير|Clients;VIP
ليلى|حداد|layla.haddad@example.org|+961 3 000 101|||Relatives
רבקה|לוי|rivka.levi@example.com|+972 50-000-0101|לוי ובניו|עורכת דין|Clients
محمد|رضایی|mohammad.rezaei@example.com|+98 912 000 0101||مهندس|Alumni 2009
अनिल|शर्मा|anil.sharma@example.com|+91 90000 00101|शर्मा ट्रेडर्स|प्रबंधक|Clients|work=12 जनपथ;नई दिल्ली;;110001;भारत
प्रिया|वर्मा|priya.varma@example.org|+91 90000 00102|||Close friends
கவிதா||kavitha@example.com|+91 90000 00103||ஆசிரியர்|Book club
রহিম|উদ্দিন|rahim@example.com|+880 1700-000101|||Leads
สมชาย|ใจดี|somchai@example.com|+66 80 000 0101|ร้านกาแฟใจดี|เจ้าของ|Vendors
伟|王|wang.wei@example.com|+86 130 0000 0101|北方贸易有限公司|经理|Clients
秀英|李|li.xiuying@example.org|+86 130 0000 0102|||Relatives|birthday=1966-10-01
志明|陳|chan.chiming@example.com|+852 5555 0101|港島書店|店長|Press
花子|山田|hanako.yamada@example.com|+81 90-0000-0101|株式会社さくら|部長|Clients|work=丸の内1-2-3;千代田区;東京都;100-0005;日本
ひなた|佐藤|hinata@example.org|090-0000-0102|||Close friends
マリア|シュミット|maria.schmidt@example.com|+81 90-0000-0103|サクラ出版|編集者|Press
지훈|김|jihoon.kim@example.com|+82 10-0000-0101|한빛상사|대리|Leads;VIP
서연|박|seoyeon.park@example.org|010-0000-0102|||Book club
Grace 🌟|Achieng|grace@example.com|+254 700 000 101|Savanna Foods|Buyer|Leads|nickname=Sunny
Tomás|Walker|home:olivia.walker@example.com||||Relatives|notes=He has no address of his own.
||newsletter@example.net||||
Ana|Popescu|ana@example.com;other:ana.p@example.org;Newsletter:ana@example.net|mobile:+40 700 000 101;work:+40 21 000 0102;workFax:+40 21 000 0103;main:+40 21 000 0104|Editura Nouă|Redactor|Press;Book club;Café ☕ Runde|home=Strada Lipscani 5;București;;030031;România|Weekend=Strada Lungă 8;Brașov;;500058;România|web=www.example.org/ana|department=R&D
`;

const split = (text: string | undefined, separator: string): string[] =>
  (text ?? '')
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Reads values with optional labels: `home:ana@example.com;ana@example.org`. */
const readValues = (cell: string | undefined): LabelledText[] =>
  split(cell, ';').map((entry) => {
    const { label = null, value = entry } = /^(?<label>\w+):(?<value>.+)$/u.exec(entry)?.groups ?? {};
    return { label, value };
  });

const readAddress = (label: string, text: string): PersonAddress => {
  const [street = '', city = '', region = '', postalCode = '', country = ''] = text.split(';');
  return { street, city, region, postalCode, country, label };
};

const TEXT_FIELDS: ReadonlySet<string> = new Set(['prefix', 'suffix', 'nickname', 'birthday', 'notes', 'department']);

/** Adds a further column to a person. A key that is no field is the label of a postal address. */
const withColumn = (person: Person, column: string): Person => {
  const [key = '', value = ''] = column.split('=', 2);
  if (TEXT_FIELDS.has(key)) return { ...person, [key]: value };
  if (key === 'web') return { ...person, websites: [{ value, label: null }] };
  return { ...person, addresses: [...person.addresses, readAddress(key, value)] };
};

const readPerson = (row: string): Person => {
  const [givenName = '', familyName = '', emails, phones, company = '', title = '', groups, ...further] =
    row.split('|');
  const person = {
    ...EMPTY_PERSON,
    givenName,
    familyName,
    emails: readValues(emails),
    phones: readValues(phones),
    company,
    title,
    groups: split(groups, ';'),
  };
  return further.reduce(withColumn, person);
};

const PEOPLE: readonly Person[] = split(TABLE, '\n').map(readPerson);

/** Returns another person with the same form: `number` is added to the name, the email addresses and the phone numbers. */
const derivePerson = (person: Person, number: number): Person => {
  const { givenName, familyName, company } = person;
  const numbered = (text: string): string => (text === '' ? '' : `${text} ${number}`);
  const hasName = givenName !== '' || familyName !== '';
  const digits = String(number).padStart(3, '0');
  return {
    ...person,
    givenName: familyName === '' ? numbered(givenName) : givenName,
    familyName: numbered(familyName),
    company: hasName ? company : numbered(company),
    emails: person.emails.map((email) => ({ ...email, value: email.value.replace('@', `.${number}@`) })),
    phones: person.phones.map((phone) => ({
      ...phone,
      value: phone.value.replace(/\d(?=\D*$|\s*ext)/u, `$&${digits}`),
    })),
  };
};

/**
 * Returns the first `count` sample people: 60 people with names in many scripts, then people derived from them by number. People
 * of different numbers have no name, email address or phone number in common. A longer book starts with the shorter one.
 */
export const samplePeople = (count: number): Person[] =>
  Array.from({ length: count }, (_, index) => {
    const round = Math.floor(index / PEOPLE.length);
    const person = PEOPLE[index % PEOPLE.length] ?? EMPTY_PERSON;
    return round === 0 ? person : derivePerson(person, round + 1);
  });
