#include <gtest/gtest.h>

#include <random>

#include "codec/flight/columns/bytes.h"
#include "codec/flight/columns/column.h"
#include "codec/flight/columns/crc32c.h"

namespace jettison {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

TEST(Crc32c, IsThatOfTheStandard) {
  EXPECT_EQ(Crc32c(""), 0U);
  EXPECT_EQ(Crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8A9136AAU);
}

TEST(Bytes, WhatWasWrittenIsRead) {
  std::string bytes;
  ByteWriter out(bytes);
  const std::vector<std::uint64_t> numbers = {0, 1, 127, 128, 300, 1ULL << 56U, kMost - 1, kMost};
  for (const std::uint64_t number : numbers) out.Number(number);
  out.Signed(std::numeric_limits<std::int64_t>::min());
  out.Text("pod");
  out.Fixed32(0xFEDCBA98U);
  ByteReader in(bytes);
  for (const std::uint64_t number : numbers) EXPECT_EQ(in.Number(), number);
  EXPECT_EQ(in.Signed(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(in.Text(), "pod");
  EXPECT_EQ(in.Fixed32(), 0xFEDCBA98U);
  EXPECT_TRUE(in.AtEnd());
  EXPECT_FALSE(in.failed());
}

TEST(Bytes, WhatEndsTooEarlyFails) {
  for (const std::string& bytes :
       {std::string("\x80"), std::string("\x05pod"), std::string(11, '\xFF'),
        std::string("\xFF\xFF\xFF\xFF\xFF\x7F")}) {
    ByteReader in(bytes);
    EXPECT_EQ(in.Text(), "") << bytes;
    EXPECT_TRUE(in.failed()) << bytes;
    EXPECT_TRUE(in.AtEnd()) << bytes;
    EXPECT_EQ(in.Number(), 0U) << bytes;
  }
}

// Numbers as they come: some that stay, some that move by pages, some that are anything.
std::vector<std::vector<std::uint64_t>> SomeRows(std::uint32_t seed, std::size_t width) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<std::uint64_t>> rows(1 + random() % 200);
  std::vector<std::uint64_t> row(width);
  for (auto& into : rows) {
    for (std::size_t i = 0; i < width; ++i) {
      switch (random() % (2 + i)) {
        case 0: row[i] += random() % 50 * 4096; break;
        case 1: row[i] -= random() % 1000; break;
        case 2: row[i] = random(); break;
        case 3: row[i] = random() % 2 == 0 ? 0 : kMost; break;
        default: break;
      }
    }
    into = row;
  }
  return rows;
}

TEST(Columns, WhatWasPutIsRead) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    const auto rows = SomeRows(seed, 12);
    ColumnWriter columns(12);
    for (const auto& row : rows) {
      for (std::size_t i = 0; i < row.size(); ++i) columns.Put(i, row[i]);
    }
    std::string bytes;
    ByteWriter out(bytes);
    columns.Write(out);
    ByteReader in(bytes);
    for (std::size_t i = 0; i < 12; ++i) {
      const std::string_view column = in.Text();
      ColumnReader each(column);
      for (const auto& row : rows) ASSERT_EQ(each.Next(), row[i]) << seed;
      ASSERT_FALSE(each.failed());
      ColumnReader some(column);
      for (std::size_t at = 0; at + at % 5 < rows.size(); ++at) {
        some.Skip(at % 5);
        at += at % 5;
        ASSERT_EQ(some.Next(), rows[at][i]) << seed;
      }
    }
  }
}

TEST(Columns, ANumberThatStaysTakesNoBytes) {
  ColumnWriter columns(2);
  for (int i = 0; i < 1000; ++i) {
    columns.Put(0, 7);
    columns.Put(1, 0);
  }
  std::string bytes;
  ByteWriter out(bytes);
  columns.Write(out);
  EXPECT_EQ(bytes.size(), 3U);
}

TEST(Columns, AnyBytesAreRead) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes(random() % 20, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random() % 4 == 0 ? 0 : random());
    ColumnReader column(bytes);
    for (int n = 0; n < 40; ++n) (void)column.Next();
    column.Skip(1U << 20U);
    (void)column.Next();
  }
}

}  // namespace
}  // namespace jettison
