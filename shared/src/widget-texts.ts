import type { Locale } from './locales.ts';

/** The settings of a widget that visitors read; where the owner has written nothing, these texts stand. */
export interface WidgetTexts {
  greeting_message: string;
  contact_message: string;
  header_title: string;
  header_subtitle: string;
  name_placeholder: string;
  email_placeholder: string;
  phone_placeholder: string;
  message_placeholder: string;
  start_button_caption: string;
}

/** What a widget says whose owner has not written it otherwise, in each language. */
export const WIDGET_TEXTS: Readonly<Record<Locale, WidgetTexts>> = {
  en: {
    greeting_message: 'Hello! How can we help you?',
    contact_message: 'Tell us how to reach you, so that we can answer even when you have left.',
    header_title: 'Chat with us',
    header_subtitle: 'We usually answer within a few minutes',
    name_placeholder: 'Your name',
    email_placeholder: 'Your e-mail address',
    phone_placeholder: 'Your phone number',
    message_placeholder: 'Write a message',
    start_button_caption: 'Start the chat',
  },
  es: {
    greeting_message: '¡Hola! ¿En qué podemos ayudarte?',
    contact_message: 'Dinos cómo localizarte para poder responderte aunque te hayas ido.',
    header_title: 'Habla con nosotros',
    header_subtitle: 'Solemos responder en pocos minutos',
    name_placeholder: 'Tu nombre',
    email_placeholder: 'Tu correo electrónico',
    phone_placeholder: 'Tu número de teléfono',
    message_placeholder: 'Escribe un mensaje',
    start_button_caption: 'Iniciar el chat',
  },
  pt: {
    greeting_message: 'Olá! Como podemos ajudar?',
    contact_message: 'Diga como podemos falar com você, para respondermos mesmo depois que você sair.',
    header_title: 'Fale conosco',
    header_subtitle: 'Costumamos responder em poucos minutos',
    name_placeholder: 'Seu nome',
    email_placeholder: 'Seu e-mail',
    phone_placeholder: 'Seu telefone',
    message_placeholder: 'Escreva uma mensagem',
    start_button_caption: 'Iniciar o chat',
  },
  fr: {
    greeting_message: 'Bonjour ! Comment pouvons-nous vous aider ?',
    contact_message:
      'Dites-nous comment vous joindre, afin que nous puissions vous répondre même après votre départ.',
    header_title: 'Discutez avec nous',
    header_subtitle: 'Nous répondons en général en quelques minutes',
    name_placeholder: 'Votre nom',
    email_placeholder: 'Votre adresse e-mail',
    phone_placeholder: 'Votre numéro de téléphone',
    message_placeholder: 'Écrivez un message',
    start_button_caption: 'Démarrer le chat',
  },
  de: {
    greeting_message: 'Hallo! Wie können wir Ihnen helfen?',
    contact_message:
      'Sagen Sie uns, wie wir Sie erreichen, damit wir auch antworten können, wenn Sie schon gegangen sind.',
    header_title: 'Chatten Sie mit uns',
    header_subtitle: 'Wir antworten meist innerhalb weniger Minuten',
    name_placeholder: 'Ihr Name',
    email_placeholder: 'Ihre E-Mail-Adresse',
    phone_placeholder: 'Ihre Telefonnummer',
    message_placeholder: 'Nachricht schreiben',
    start_button_caption: 'Chat beginnen',
  },
  it: {
    greeting_message: 'Ciao! Come possiamo aiutarti?',
    contact_message: 'Dicci come contattarti, così possiamo risponderti anche quando non sei più qui.',
    header_title: 'Scrivici in chat',
    header_subtitle: 'Di solito rispondiamo in pochi minuti',
    name_placeholder: 'Il tuo nome',
    email_placeholder: 'La tua e-mail',
    phone_placeholder: 'Il tuo numero di telefono',
    message_placeholder: 'Scrivi un messaggio',
    start_button_caption: 'Inizia la chat',
  },
  nl: {
    greeting_message: 'Hallo! Waarmee kunnen we u helpen?',
    contact_message: 'Laat weten hoe we u kunnen bereiken, zodat we ook kunnen antwoorden als u al weg bent.',
    header_title: 'Chat met ons',
    header_subtitle: 'We antwoorden meestal binnen een paar minuten',
    name_placeholder: 'Uw naam',
    email_placeholder: 'Uw e-mailadres',
    phone_placeholder: 'Uw telefoonnummer',
    message_placeholder: 'Schrijf een bericht',
    start_button_caption: 'Chat starten',
  },
  pl: {
    greeting_message: 'Dzień dobry! W czym możemy pomóc?',
    contact_message:
      'Podaj, jak możemy się skontaktować, abyśmy mogli odpowiedzieć także po zamknięciu strony.',
    header_title: 'Porozmawiaj z nami',
    header_subtitle: 'Zwykle odpowiadamy w ciągu kilku minut',
    name_placeholder: 'Imię i nazwisko',
    email_placeholder: 'Adres e-mail',
    phone_placeholder: 'Numer telefonu',
    message_placeholder: 'Napisz wiadomość',
    start_button_caption: 'Rozpocznij czat',
  },
  tr: {
    greeting_message: 'Merhaba! Size nasıl yardımcı olabiliriz?',
    contact_message: 'Size nasıl ulaşabileceğimizi yazın; siz ayrıldıktan sonra da yanıt verebilelim.',
    header_title: 'Bizimle sohbet edin',
    header_subtitle: 'Genellikle birkaç dakika içinde yanıt veririz',
    name_placeholder: 'Adınız',
    email_placeholder: 'E-posta adresiniz',
    phone_placeholder: 'Telefon numaranız',
    message_placeholder: 'Bir mesaj yazın',
    start_button_caption: 'Sohbeti başlat',
  },
  ar: {
    greeting_message: 'مرحبًا! كيف يمكننا مساعدتك؟',
    contact_message: 'أخبرنا كيف نصل إليك حتى نتمكن من الرد بعد مغادرتك.',
    header_title: 'تحدث معنا',
    header_subtitle: 'نرد عادةً خلال بضع دقائق',
    name_placeholder: 'اسمك',
    email_placeholder: 'بريدك الإلكتروني',
    phone_placeholder: 'رقم هاتفك',
    message_placeholder: 'اكتب رسالة',
    start_button_caption: 'بدء المحادثة',
  },
  he: {
    greeting_message: 'שלום! איך אפשר לעזור?',
    contact_message: 'ספרו לנו איך ליצור איתכם קשר, כדי שנוכל לענות גם אחרי שעזבתם.',
    header_title: 'דברו איתנו',
    header_subtitle: 'בדרך כלל אנחנו עונים תוך כמה דקות',
    name_placeholder: 'השם שלך',
    email_placeholder: 'כתובת הדוא״ל שלך',
    phone_placeholder: 'מספר הטלפון שלך',
    message_placeholder: 'כתיבת הודעה',
    start_button_caption: 'התחלת צ׳אט',
  },
  hi: {
    greeting_message: 'नमस्ते! हम आपकी क्या मदद कर सकते हैं?',
    contact_message: 'बताइए कि आपसे कैसे संपर्क करें, ताकि आपके जाने के बाद भी हम उत्तर दे सकें।',
    header_title: 'हमसे चैट करें',
    header_subtitle: 'हम आम तौर पर कुछ ही मिनटों में उत्तर देते हैं',
    name_placeholder: 'आपका नाम',
    email_placeholder: 'आपका ईमेल पता',
    phone_placeholder: 'आपका फ़ोन नंबर',
    message_placeholder: 'संदेश लिखें',
    start_button_caption: 'चैट शुरू करें',
  },
  zh: {
    greeting_message: '您好！有什么可以帮您？',
    contact_message: '请告诉我们如何联系您，这样即使您离开后我们也能回复。',
    header_title: '与我们聊天',
    header_subtitle: '我们通常在几分钟内回复',
    name_placeholder: '您的姓名',
    email_placeholder: '您的电子邮件地址',
    phone_placeholder: '您的电话号码',
    message_placeholder: '输入消息',
    start_button_caption: '开始聊天',
  },
  ja: {
    greeting_message: 'こんにちは。どのようなご用件でしょうか？',
    contact_message: 'ページを離れたあとでもお返事できるよう、ご連絡先をお知らせください。',
    header_title: 'チャットで相談',
    header_subtitle: '通常、数分以内にお返事します',
    name_placeholder: 'お名前',
    email_placeholder: 'メールアドレス',
    phone_placeholder: '電話番号',
    message_placeholder: 'メッセージを入力',
    start_button_caption: 'チャットを始める',
  },
  ko: {
    greeting_message: '안녕하세요! 무엇을 도와드릴까요?',
    contact_message: '자리를 비우신 뒤에도 답변드릴 수 있도록 연락처를 알려 주세요.',
    header_title: '채팅으로 문의하기',
    header_subtitle: '보통 몇 분 안에 답변드립니다',
    name_placeholder: '이름',
    email_placeholder: '이메일 주소',
    phone_placeholder: '전화번호',
    message_placeholder: '메시지를 입력하세요',
    start_button_caption: '채팅 시작',
  },
};

/** The settings that have such a text. */
export const WIDGET_TEXT_FIELDS = Object.keys(WIDGET_TEXTS.en) as (keyof WidgetTexts)[];

/** Texts that may be none; all others are the name of something, which a screen reader has to say. */
const MAY_BE_NONE: readonly (keyof WidgetTexts)[] = [
  'greeting_message',
  'contact_message',
  'header_subtitle',
];

/** A widget's texts as a visitor of that language reads them: the owner's own; ours where there is none. */
export const fillWidgetTexts = <T extends WidgetTexts>(widget: T, locale: Locale): T => {
  const filled: T = { ...widget };
  for (const field of WIDGET_TEXT_FIELDS) {
    if (widget[field].trim() !== '') continue;
    const isNone = widget[field] !== '' && MAY_BE_NONE.includes(field);
    filled[field] = isNone ? '' : WIDGET_TEXTS[locale][field];
  }
  return filled;
};
