/**
 * Headings of Outlook's, Thunderbird's and manually created files in German, French, Spanish, Italian, Dutch, Portuguese and
 * Japanese, by Outlook's English heading.
 */
const HEADINGS: Readonly<Record<string, string>> = {
  Title: 'Anrede; Titre; Título; Titolo; Titel; 敬称',
  'First Name': 'Vorname; Prénom; Nombre; Nome; Voornaam; Primeiro nome; Nome próprio; 名',
  'Middle Name':
    'Weitere Vornamen; Zweiter Vorname; Deuxième prénom; Segundo nombre; Secondo nome; Middelste naam; Tweede naam; ' +
    'Segundo nome; Nome do meio; ミドル ネーム',
  'Last Name':
    'Nachname; Familienname; Nom; Nom de famille; Apellidos; Apellido; Cognome; Achternaam; Sobrenome; Apelido; Último nome; 姓',
  Name: 'Display Name; Full Name; Anzeigename; Nom à afficher; Nom complet; Nombre para mostrar; Nome visualizzato; Weergavenaam; Nome de exibição; 表示名',
  Suffix: 'Suffixe; Sufijo; Suffisso; Titolo straniero; Achtervoegsel; Sufixo',
  Nickname: 'Spitzname; Surnom; Pseudonyme; Apodo; Alias; Soprannome; Bijnaam; Apelido familiar; ニックネーム',
  Company:
    'Organization; Organisation; Firma; Société; Entreprise; Organización; Empresa; Compañía; Società; Azienda; Bedrijf; ' +
    'Organisatie; Organização; 会社; 会社名; 組織',
  Department: 'Abteilung; Service; Département; Departamento; Reparto; Afdeling; 部署; 部門',
  'Job Title': 'Position; Beruf; Fonction; Titre du poste; Cargo; Puesto; Posizione; Qualifica; Functie; 役職',
  'E-mail Address':
    'E-Mail; Email; Mail; Email Address; Primary Email; E-Mail-Adresse; Primäre E-Mail-Adresse; Adresse de messagerie; ' +
    'Adresse e-mail; Adresse électronique principale; Première adresse électronique; Courriel; ' +
    'Dirección de correo electrónico; Correo electrónico; Correo electrónico principal; Indirizzo posta elettronica; ' +
    'Indirizzo di posta elettronica; Email principale; E-mailadres; Endereço de email; Endereço de e-mail; ' +
    'Endereço de correio eletrónico; Endereço de correio electrónico; 電子メール アドレス; 電子メールアドレス; メールアドレス; ' +
    'メインの電子メールアドレス; メインのメールアドレス',
  'E-mail 2 Address':
    'Secondary Email; E-mail 2; E-Mail 2: Adresse; E-Mail-Adresse 2; Sekundäre E-Mail-Adresse; Adresse de messagerie 2; ' +
    'Adresse électronique secondaire; Dirección de correo electrónico 2; Correo electrónico secundario; ' +
    'Indirizzo posta elettronica 2; E-mailadres 2; Endereço de email 2; Endereço de e-mail 2; 電子メール 2 アドレス; ' +
    '別の電子メールアドレス; 別のメールアドレス',
  'E-mail 3 Address':
    'E-mail 3; E-Mail 3: Adresse; E-Mail-Adresse 3; Adresse de messagerie 3; Dirección de correo electrónico 3; ' +
    'Indirizzo posta elettronica 3; E-mailadres 3; Endereço de email 3; Endereço de e-mail 3; 電子メール 3 アドレス',
  'Mobile Phone':
    'Mobile; Cell; Cell Phone; Mobile Number; Mobiltelefon; Mobil; Handy; Handynummer; Mobil-Tel.-Nr.; Tél. mobile; ' +
    'Téléphone mobile; Portable; Teléfono móvil; Móvil; Cellulare; Mobiele telefoon; Mobiel; Mobiel nummer; ' +
    'Telefone celular; Celular; Telemóvel; 携帯電話; 携帯電話番号',
  'Home Phone':
    'Telefon (privat); Telefon privat; Tel. privat; Téléphone (domicile); Tél. personnel; Teléfono particular; Abitazione; ' +
    'Telefono abitazione; Telefoon thuis; Telefone residencial; Telefone de casa; 自宅電話; 自宅の電話番号',
  'Home Phone 2':
    'Telefon (privat 2); Téléphone 2 (domicile); Teléfono particular 2; Abitazione 2; Telefoon thuis 2; 自宅電話 2',
  'Business Phone':
    'Work Phone; Telefon geschäftlich; Telefon (geschäftlich); Tel. dienstlich; Téléphone (bureau); Tél. professionnel; ' +
    'Teléfono del trabajo; Ufficio; Telefono ufficio; Telefoon op werk; Telefone comercial; Telefone do trabalho; 会社電話; ' +
    '勤務先の電話番号',
  'Business Phone 2':
    'Telefon geschäftlich 2; Téléphone 2 (bureau); Teléfono del trabajo 2; Ufficio 2; Telefoon op werk 2; 会社電話 2',
  'Company Main Phone':
    'Telefon Firma; Téléphone société; Número de centralita de la organización; Hoofdtelefoon bedrijf; 会社代表電話',
  'Primary Phone':
    'Phone; Telephone; Haupttelefon; Telefon; Téléphone principal; Téléphone; Teléfono principal; Teléfono; Telefono principale; Telefono; Hoofdtelefoon; Telefoon; Telefone principal; Telefone; 通常の電話; 電話番号',
  'Other Phone':
    'Weiteres Telefon; Téléphone (autre); Otro teléfono; Altro telefono; Andere telefoon; Outro telefone; その他の電話',
  Pager: 'Pager Number; Récepteur de radiomessagerie; Localizador; Cercapersone; Semafoon; ポケットベル',
  'Home Fax':
    'Fax privat; Télécopie (domicile); Fax particular; Fax abitazione; Fax thuis; Fax residencial; 自宅ファックス',
  'Business Fax':
    'Fax Number; Fax; Fax geschäftlich; Fax-Nummer; Télécopie (bureau); Fax del trabajo; Fax ufficio; Fax (uff.); Fax op werk; ' +
    'Fax comercial; 会社ファックス',
  ISDN: 'RNIS; RDSI',
  Telex: 'Télex; Télex (bureau)',
  'Web Page':
    'Web Page 1; Webseite; Webseite 1; Page Web; Página Web; Pagina Web; Webpagina; Página da Web; Website; Web ページ',
  'Business Web Page': 'Web Page 2; Webseite 2',
  'Home Street':
    'Home Address; Straße privat; Privat: Adresse; Rue (domicile); Calle particular; Via (ab.); Huisadres, straat; Rua residencial; 番地 (自宅)',
  'Home Street 2': 'Home Address 2; Straße privat 2; Privat: Adresse 2; Rue (domicile) 2',
  'Home City':
    'Ort privat; Privat: Ort; Ville (domicile); Ciudad particular; Ciudad de residencia; Città (ab.); Huisadres, plaats; Cidade residencial; 市区町村 (自宅)',
  'Home State':
    'Region privat; Bundesland/Kanton privat; Privat: Bundesland; Dép/Région (domicile); Provincia o estado de residencia; Provincia (ab.); Huisadres, provincie; Estado residencial; 都道府県 (自宅)',
  'Home Postal Code':
    'Home ZipCode; Postleitzahl privat; Privat: PLZ; Code postal (domicile); Código postal de residencia; CAP (ab.); Huisadres, postcode; CEP residencial; Código postal residencial; 郵便番号 (自宅)',
  'Home Country':
    'Land/Region privat; Privat: Land; Pays/Région (domicile); País o región de residencia; Paese (ab.); Huisadres, land/regio; País/Região residencial; 国 (自宅); 国/地域 (自宅)',
  'Business Street':
    'Work Address; Straße geschäftlich; Dienstlich: Adresse; Rue (bureau); Calle del trabajo; Via (uff.); Werkadres, straat; Rua comercial; 番地 (会社)',
  'Business Street 2': 'Work Address 2; Straße geschäftlich 2; Dienstlich: Adresse 2; Rue (bureau) 2',
  'Business City':
    'Work City; Ort geschäftlich; Dienstlich: Ort; Ville (bureau); Ciudad de trabajo; Ciudad del trabajo; Città (uff.); Werkadres, plaats; Cidade comercial; 市区町村 (会社)',
  'Business State':
    'Work State; Region geschäftlich; Bundesland/Kanton geschäftlich; Dienstlich: Bundesland; Dép/Région (bureau); Provincia o estado de trabajo; Provincia (uff.); Werkadres, provincie; Estado comercial; 都道府県 (会社)',
  'Business Postal Code':
    'Work ZipCode; Postleitzahl geschäftlich; Dienstlich: PLZ; Code postal (bureau); Código postal del trabajo; CAP (uff.); Werkadres, postcode; CEP comercial; Código postal comercial; 郵便番号 (会社)',
  'Business Country':
    'Work Country; Land/Region geschäftlich; Dienstlich: Land; Pays/Région (bureau); País o región del trabajo; Paese (uff.); Werkadres, land/regio; País/Região comercial; 国 (会社); 国/地域 (会社)',
  Birthday:
    'Geburtstag; Anniversaire; Date de naissance; Cumpleaños; Compleanno; Data di nascita; Verjaardag; Geboortedatum; Aniversário; Data de nascimento; 誕生日',
  'Birth Year':
    'Geburtsjahr; Année de naissance; Año de nacimiento; Anno di nascita; Geboortejaar; Ano de nascimento; 誕生年',
  'Birth Month':
    'Geburtsmonat; Mois de naissance; Mes de nacimiento; Mese di nascita; Geboortemaand; Mês de nascimento; 誕生月',
  Categories: 'Kategorien; Catégories; Categorías; Categorie; Categorieën; Categorias; 分類項目',
  Labels: 'Etiquetas; Libellés; Etichette; Marcadores; ラベル',
  Notes: 'Notizen; Anmerkungen; Remarques; Notas; Note; Notities; Anotações; メモ',
};

/** The kinds and parts of Google's numbered headings, such as `Correo electrónico 1 - Valor`, by the English words. */
const NUMBERED: Readonly<Record<string, string>> = {
  'E-mail':
    'Email; E-Mail-Adresse; Adresse e-mail; Correo electrónico; Indirizzo email; E-mailadres; Endereço de e-mail; メールアドレス; メール',
  Phone: 'Telefon; Téléphone; Teléfono; Telefono; Telefoon; Telefone; 電話; 電話番号',
  Address: 'Adresse; Dirección; Indirizzo; Adres; Endereço; 住所',
  Website: 'Webseite; Site Web; Sitio web; Sito web; Site; ウェブサイト',
  Value: 'Wert; Valeur; Valor; Valore; Waarde; 値',
  Label: 'Libellé; Etiqueta; Etichetta; Rótulo; Marcador; ラベル',
  Type: 'Typ; Tipo; 種類',
  Street: 'Straße; Rue; Calle; Via; Straat; Rua; 番地',
  City: 'Ort; Stadt; Ville; Ciudad; Città; Plaats; Cidade; 市区町村',
  Region: 'Région; Región; Regione; Provincie; Região; Estado; 都道府県',
  'Postal Code': 'Postleitzahl; PLZ; Code postal; Código postal; CAP; Postcode; CEP; 郵便番号',
  Country: 'Land; Pays; País; Paese; 国',
  Formatted: 'Formatiert; Formaté; Formato; Formattato; Opgemaakt; Formatado',
};

const fold = (name: string): string => name.normalize('NFC').trim().toLowerCase().replace(/\s+/gu, ' ');

/** Returns the English spelling of each foreign one. */
const englishBySpelling = (table: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(table).flatMap(([english, spellings]) =>
      spellings.split(';').map((spelling) => [fold(spelling), english] as const),
    ),
  );

const ENGLISH = englishBySpelling(HEADINGS);
const ENGLISH_PARTS = englishBySpelling(NUMBERED);

const PART = /^(?<kind>.+?) (?<number>\d+) - (?<part>.+)$/u;

const partOf = (word: string): string => ENGLISH_PARTS.get(fold(word)) ?? word;

/** Returns the English form of a heading. A heading in an unknown language is returned unchanged. */
export const englishHeading = (name: string): string => {
  const { kind, number, part } = PART.exec(name)?.groups ?? {};
  if (kind !== undefined && part !== undefined) return `${partOf(kind)} ${number} - ${partOf(part)}`;
  return ENGLISH.get(fold(name)) ?? name;
};
