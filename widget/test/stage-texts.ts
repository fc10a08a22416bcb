/** What is said in the reference pictures, in a language of either direction. */
export interface StageTexts {
  settings: Record<string, string>;
  page: string;
  name: string;
  operator: string;
  first: string;
  answer: string;
  second: string;
  rest: string[];
  offline: string;
  refused: string;
  reason: string;
  hasty: string;
  news: string;
  question: string;
  botAnswer: string;
}

export const TEXTS: Record<'en' | 'ar', StageTexts> = {
  en: {
    settings: {
      header_title: 'Lantern Row',
      header_subtitle: 'Ask us anything about our lamps',
      chat_subtitle: 'Ida and Tom are at the bench',
      greeting_message: 'Good evening! Are you looking for a lamp, or is one in need of mending?',
      contact_message: 'Tell us how to reach you, so that we can answer even when you have left.',
      name_placeholder: 'Your name',
      email_placeholder: 'Your e-mail address',
      message_placeholder: 'Write a message',
      start_button_caption: 'Ask the workshop',
    },
    page: 'Light for the end of the day',
    name: 'Robin',
    operator: 'Ida',
    first: 'My grandmother’s lamp flickers. Can you rewire it?',
    answer: 'Gladly! It takes a week and costs € 28: https://lantern-row.example/repairs',
    second: 'Wonderful. I bring it on Thursday.',
    rest: ['See you then. The door is open when the lamp above it is lit.'],
    offline: 'Do you have linen shades, too?',
    refused: 'Buy cheap lamps elsewhere!',
    reason: 'This message looks like an advertisement.',
    hasty: 'And another thing',
    news: 'We do, in natural and in rust.',
    question: 'When are you open?',
    botAnswer: 'From Wednesday to Saturday, 10 to 17. Shall I find you a time?',
  },
  ar: {
    settings: {
      header_title: 'شارع الفوانيس',
      header_subtitle: 'اسألنا عن مصابيحنا',
      chat_subtitle: 'ليلى وكريم في الورشة',
      greeting_message: 'مساء الخير! هل تبحث عن مصباح، أم لديك مصباح يحتاج إلى إصلاح؟',
      contact_message: 'أخبرنا كيف نصل إليك حتى نتمكن من الرد بعد مغادرتك.',
      name_placeholder: 'اسمك',
      email_placeholder: 'بريدك الإلكتروني',
      message_placeholder: 'اكتب رسالة',
      start_button_caption: 'اسأل الورشة',
    },
    page: 'ضوء لآخر النهار',
    name: 'سلمى',
    operator: 'ليلى',
    first: 'مصباح جدتي يومض. هل يمكنكم إصلاح أسلاكه؟',
    answer: 'بكل سرور! يستغرق ذلك أسبوعا ويكلف 28 يورو: https://lantern-row.example/repairs',
    second: 'رائع، سأحضره يوم الخميس.',
    rest: ['إلى اللقاء. الباب مفتوح عندما يضيء المصباح فوقه.'],
    offline: 'هل لديكم أغطية من الكتان أيضا؟',
    refused: 'مصابيح رخيصة في مكان آخر!',
    reason: 'تبدو هذه الرسالة إعلانا.',
    hasty: 'وشيء آخر',
    news: 'نعم، باللون الطبيعي والصدئي.',
    question: 'متى تفتحون؟',
    botAnswer: 'من الأربعاء إلى السبت، من 10 إلى 17. هل أبحث لك عن موعد؟',
  },
};
