/* TestU01's batteries on 32-bit words from standard input; battery.sh compiles and feeds it.
 *
 *     raw_stream --kind lanes | testu01 small|crush|big [reverse]
 *
 * TestU01 looks mostly at the high bits of a word, so `reverse` turns each word round and the low
 * bits have their turn. Exit 1 if the stream ends before the battery. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <testu01/bbattery.h>
#include <testu01/swrite.h>
#include <testu01/unif01.h>

enum { BUFFER_WORDS = 1 << 16 };
static uint32_t buffer[BUFFER_WORDS];
static size_t filled = 0;
static size_t used = 0;

static unsigned int next_word(void) {
  if (used == filled) {
    filled = fread(buffer, sizeof buffer[0], BUFFER_WORDS, stdin);
    used = 0;
    if (filled == 0) {
      fprintf(stderr, "testu01: the stream ended before the battery\n");
      exit(1);
    }
  }
  return buffer[used++];
}

static unsigned int next_reversed(void) {
  uint32_t word = next_word();
  word = (word >> 1 & 0x55555555u) | (word & 0x55555555u) << 1;
  word = (word >> 2 & 0x33333333u) | (word & 0x33333333u) << 2;
  word = (word >> 4 & 0x0F0F0F0Fu) | (word & 0x0F0F0F0Fu) << 4;
  return __builtin_bswap32(word);
}

int main(int count, char** arguments) {
  const char* battery = count > 1 ? arguments[1] : "";
  const int reverse = count > 2 && strcmp(arguments[2], "reverse") == 0;
  char name[] = "standard input";
  unif01_Gen* stream = unif01_CreateExternGenBits(name, reverse ? next_reversed : next_word);
  swrite_Basic = FALSE; /* only the summary */
  if (strcmp(battery, "small") == 0) {
    bbattery_SmallCrush(stream);
  } else if (strcmp(battery, "crush") == 0) {
    bbattery_Crush(stream);
  } else if (strcmp(battery, "big") == 0) {
    bbattery_BigCrush(stream);
  } else {
    fprintf(stderr, "usage: testu01 small|crush|big [reverse]\n");
    return 2;
  }
  unif01_DeleteExternGenBits(stream);
  return 0;
}
