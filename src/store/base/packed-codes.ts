// Type codes of packed values, for writing, reading and skipping them.

// The codes are stored: append only, never change. 0x00..0x7f are the integers 0 to 127.
export const shortList = 0x80;
export const shortObject = 0x90;
export const shortText = 0xa0;
export const nothing = 0xc0;
export const no = 0xc1;
export const yes = 0xc2;
export const integer = 0xc3;
export const negative = 0xc4;
export const double = 0xc5;
export const longText = 0xc6;
export const longList = 0xc7;
export const longObject = 0xc8;
export const numberText = 0xc9;
export const addressText = 0xca;
