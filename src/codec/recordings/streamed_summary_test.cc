// A summary that is checked while it is read is what it is when it is parsed first.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "codec/kubernetes/summary_reader.h"
#include "codec/recordings/summary_writer.h"
#include "core/json/json_writer.h"

namespace jettison {
namespace {

std::string Written(const Summary& summary) {
  std::string text;
  JsonWriter json(text);
  WriteSummary(summary, {}, json);
  return text;
}

// The summary as it is written out again; nothing where it cannot be read.
std::optional<std::string> Parsed(const std::string& text) {
  static simdjson::dom::parser parser;
  static Summary summary;
  simdjson::dom::element element;
  if (parser.parse(text).get(element) != simdjson::SUCCESS) return std::nullopt;
  if (!ReadSummary(element, summary)) return std::nullopt;
  return Written(summary);
}

// The same without parsing it first, as a member of a document.
std::optional<std::string> Streamed(const simdjson::padded_string& document) {
  static simdjson::ondemand::parser parser;
  static Summary summary;
  simdjson::ondemand::document walked;
  simdjson::ondemand::value value;
  if (parser.iterate(document).get(walked) != simdjson::SUCCESS) return std::nullopt;
  if (walked["summary"].get(value) != simdjson::SUCCESS) return std::nullopt;
  if (!ReadStreamedSummary(value, document, summary)) return std::nullopt;
  return Written(summary);
}

// Where the summary ends in the document; a bracket of the hostile text may be its end.
std::string SummaryIn(const simdjson::padded_string& document) {
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document walked;
  std::string_view text;
  if (parser.iterate(document).get(walked) != simdjson::SUCCESS) return "";
  simdjson::ondemand::object summary;
  if (walked["summary"].get(summary) != simdjson::SUCCESS) return "";
  if (summary.raw_json().get(text) != simdjson::SUCCESS) return "";
  return std::string(text);
}

// Whether it was read without parsing it first; then it must be what it is when it is parsed.
bool IsStreamed(const std::string& text) {
  const simdjson::padded_string document("{\"summary\":" + text + ",\"behind\":7}");
  const auto streamed = Streamed(document);
  EXPECT_TRUE(!streamed || streamed == Parsed(SummaryIn(document))) << text;
  return streamed.has_value();
}

constexpr std::string_view kSummary = R"({"node": {"nodeName": "n",
  "systemContainers": [{"name": "kubelet"}, {"name": "pods", "memory": {"workingSetBytes": 7}}],
  "memory": {"time": "2026-01-01T00:00:00Z", "availableBytes": 12, "usageBytes": 13,
    "psi": {"full": {"avg10": 0.5, "avg60": 1.25, "total": 9}, "some": {"avg10": 100}}},
  "swap": {"swapAvailableBytes": 1, "swapUsageBytes": 2}, "fs": {"inodes": 3, "usedBytes": 4},
  "runtime": {"imageFs": {"capacityBytes": 5}, "containerFs": null},
  "rlimit": {"maxpid": 4194304, "curproc": 228}},
  "pods": [{"podRef": {"name": "p", "namespace": "d", "uid": "u"}, "startTime": null,
    "containers": [{"name": "c", "memory": {"workingSetBytes": 5, "rssBytes": 6},
      "cpu": {"usageNanoCores": 17, "psi": [true, false, null, -1.5, "x", {}]},
      "rootfs": {"usedBytes": 8, "inodesUsed": 9}, "logs": {"usedBytes": 10}}],
    "memory": {"workingSetBytes": 11}, "volume": [{"name": "v", "usedBytes": 12}],
    "process_stats": {"process_count": 3}},
   {"podRef": {"name": "q", "namespace": "d", "uid": "w"}}]})";

constexpr std::string_view kHostile[] = {"null",
                                         "true",
                                         "tru",
                                         "nul",
                                         "0",
                                         "-0",
                                         "-1",
                                         "00",
                                         "01",
                                         "+1",
                                         "1.",
                                         ".5",
                                         "1.5",
                                         "12.50",
                                         "-",
                                         "1e5",
                                         "1e999",
                                         "0e9999999999999999999",
                                         "99.99",
                                         "100.0",
                                         "100.01",
                                         "1 2",
                                         "7x",
                                         "0x7",
                                         "999999999999999999",
                                         "9223372036854775807",
                                         "9223372036854775808",
                                         "18446744073709551615",
                                         "18446744073709551616",
                                         "-9223372036854775808",
                                         "-9223372036854775809",
                                         "123456789012345678901",
                                         "\"x\"",
                                         "\"\"",
                                         "\"x\":1",
                                         "\"x\" \"y\"",
                                         "\"x",
                                         "x",
                                         "",
                                         R"("\u0061\n")",
                                         R"("\x")",
                                         R"("\ud800")",
                                         R"("\\")",
                                         "\"\x01\"",
                                         "\"\xff\"",
                                         "\"\xc3\xa4\"",
                                         "{}",
                                         "[]",
                                         "{",
                                         "[",
                                         "{]",
                                         "[}",
                                         "[1 2]",
                                         "[1,]",
                                         "[,]",
                                         "{\"a\" 1}",
                                         "{\"a\":1,}",
                                         "{\"a\":1 \"b\":2}",
                                         "{1:2}",
                                         "{\"a\":}",
                                         "{\"a\"}",
                                         R"({"\u0061":1})",
                                         R"({"\x":1})",
                                         R"({"usedBytes":1,"usedBytes":2})",
                                         "[[[[[[[[]]]]]]]]",
                                         "2026-01-01",
                                         "\"2026-01-01T00:00:00Z\"",
                                         "\"2026-13-01T00:00:00Z\""};

TEST(StreamedSummary, IsReadAtOnceAsKubeletsWriteIt) {
  EXPECT_TRUE(IsStreamed(std::string(kSummary)));
}

TEST(StreamedSummary, WhateverStandsInPlaceOfAValueItIsWhatItIsParsed) {
  std::size_t streamed = 0;
  for (std::size_t at = kSummary.find(": "); at != std::string_view::npos;
       at = kSummary.find(": ", at + 1)) {
    const std::size_t end = kSummary.find_first_of(",}]", at);
    for (const std::string_view hostile : kHostile) {
      streamed += IsStreamed(
          fmt::format("{}: {}{}", kSummary.substr(0, at), hostile, kSummary.substr(end)));
    }
  }
  EXPECT_GT(streamed, 100U);
}

TEST(StreamedSummary, WhateverByteIsMissingOrAnotherItIsWhatItIsParsed) {
  std::size_t streamed = 0;
  for (std::size_t at = 0; at < kSummary.size(); ++at) {
    for (const std::string_view byte : {"", "{", "}", "[", "]", ",", ":", "\"", "\\", " ", "0"}) {
      streamed +=
          IsStreamed(fmt::format("{}{}{}", kSummary.substr(0, at), byte, kSummary.substr(at + 1)));
    }
  }
  EXPECT_GT(streamed, 100U);
}

TEST(StreamedSummary, NestingBeyondTheLimitIsLeftToTheParser) {
  for (const std::size_t levels : {10U, 60U, 70U, 2000U}) {
    const auto text = fmt::format(R"({{"node": {{}}, "other": {}{}}})", std::string(levels, '['),
                                  std::string(levels, ']'));
    EXPECT_EQ(IsStreamed(text), levels <= 60) << levels;
  }
}

}  // namespace
}  // namespace jettison
