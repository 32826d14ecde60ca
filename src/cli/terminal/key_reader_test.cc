#include "cli/terminal/key_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jettison {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

KeyPress Character(char c) {
  return {.key = Key::kCharacter, .character = c};
}

TEST(KeyReader, CharactersAreThemselves) {
  EXPECT_THAT(KeyReader().Read("q?"), ElementsAre(Character('q'), Character('?')));
}

TEST(KeyReader, ArrowsAndPagesAreKnownInBothModesOfTerminals) {
  EXPECT_THAT(
      KeyReader().Read("\x1b[A\x1b[B\x1bOA\x1b[5~\x1b[6~\x1b[H\x1bOF"),
      ElementsAre(KeyPress{.key = Key::kUp}, KeyPress{.key = Key::kDown}, KeyPress{.key = Key::kUp},
                  KeyPress{.key = Key::kPageUp}, KeyPress{.key = Key::kPageDown},
                  KeyPress{.key = Key::kHome}, KeyPress{.key = Key::kEnd}));
}

TEST(KeyReader, ASequenceMayComeInPieces) {
  KeyReader reader;
  EXPECT_THAT(reader.Read("\x1b"), IsEmpty());
  EXPECT_THAT(reader.Read("["), IsEmpty());
  EXPECT_THAT(reader.Read("Bq"), ElementsAre(KeyPress{.key = Key::kDown}, Character('q')));
}

TEST(KeyReader, WhatMeansNothingIsPassedOver) {
  KeyReader reader;
  EXPECT_THAT(reader.Read("\x1b[1;5Cq"), ElementsAre(Character('q')));  // Ctrl-Right
  EXPECT_THAT(reader.Read("\x1bq"), ElementsAre(Character('q')));       // Alt-q
  EXPECT_THAT(reader.Read("\xc3\xa4q"), ElementsAre(Character('q')));
  EXPECT_THAT(reader.Read("\x1b[11111111111111111111111111111q\x1b[Bp"),
              ::testing::Contains(Character('p')));
}

}  // namespace
}  // namespace jettison
