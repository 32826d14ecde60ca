#include "core/explanation/text_table.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

TEST(TextTable, ANameInACellStaysInItsLineAndSteersNoTerminal) {
  TextTable table({TextTable::Align::kLeft, TextTable::Align::kRight});
  table.Add({"default/a\nb\x1b[2J", "1"});
  table.Add({"c", "23"});
  EXPECT_EQ(table.Text(2), "  default/a b [2J   1\n  c                23\n");
}

TEST(Wrapped, ANameInASentenceStaysInItsLineAndSteersNoTerminal) {
  EXPECT_EQ(Wrapped("default/a\nb\x1b[2J was evicted", "  - ", 4),
            "  - default/a b [2J was evicted\n");
}

}  // namespace
}  // namespace jettison
