#include "cli/import/piece_length.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(PieceLength, ItGrowsToADayWhileAnswersAreSmall) {
  PieceLength piece;
  EXPECT_EQ(piece.length(), hours(1));
  piece.Answered(100);
  EXPECT_EQ(piece.length(), hours(2));
  for (int i = 0; i < 9; ++i) piece.Answered(100);
  EXPECT_EQ(piece.length(), hours(24));
}

TEST(PieceLength, ItStaysWhereAnswersAreAsLargeAsTheyMayBe) {
  PieceLength piece;
  piece.Answered(PieceLength::kMostPoints / 3);
  EXPECT_EQ(piece.length(), hours(1));
  piece.Answered(PieceLength::kMostPoints);
  EXPECT_EQ(piece.length(), minutes(30));
}

TEST(PieceLength, ItShrinksToAMinute) {
  PieceLength piece;
  while (piece.CanShrink()) piece.Refused();
  EXPECT_EQ(piece.length(), seconds(60));
}

TEST(PieceLength, WhatWasRefusedIsTriedAgainMuchLater) {
  PieceLength piece;
  piece.Refused();
  int answers = 0;
  for (; piece.length() < hours(1); ++answers) piece.Answered(100);
  EXPECT_EQ(answers, 30);
  piece.Refused();
  piece.Refused();
  for (answers = 0; piece.length() < hours(1); ++answers) piece.Answered(100);
  EXPECT_EQ(answers, 31) << "and grows on from there";
}

}  // namespace
}  // namespace jettison
