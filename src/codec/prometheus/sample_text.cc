#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "codec/prometheus/prometheus.h"
#include "core/text/number.h"

namespace jettison {
namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kNameLabel = "__name__";
// A time that is so large is in milliseconds: in seconds it would be the year 5138.
constexpr double kLeastMilliseconds = 1e11;

tl::unexpected<Error> Invalid(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

std::string_view WithoutBlanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  return begin == std::string_view::npos ? std::string_view{} : text.substr(begin);
}

// The next word; what is behind it stays in `rest`.
std::string_view TakeWord(std::string_view& rest) {
  rest = WithoutBlanks(rest);
  const std::string_view word = rest.substr(0, rest.find_first_of(kBlanks));
  rest.remove_prefix(word.size());
  return word;
}

// Where the labels end, behind their brace; npos: they do not. Braces within quotes are text.
std::size_t EndOfLabels(std::string_view text, std::size_t from) {
  bool quoted = false;
  for (std::size_t i = from; i < text.size(); ++i) {
    if (quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (text[i] == '}' && !quoted) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

Result<Instant> TimeOf(std::string_view word, bool milliseconds) {
  const auto number = ParseSampleNumber(word);
  if (!number) return Invalid(fmt::format("\"{}\" is no time", word));
  const bool in_milliseconds = milliseconds || std::abs(*number) >= kLeastMilliseconds;
  const auto at = InstantOfSeconds(in_milliseconds ? *number / 1e3 : *number);
  if (!at) return Invalid(fmt::format("\"{}\" is no time", word));
  return *at;
}

// The text in quotes that `rest` begins with, and is without then; none: there is no such text.
std::optional<std::string> TakeText(std::string_view& rest) {
  std::string text;
  for (std::size_t i = 1; rest.starts_with('"') && i < rest.size(); ++i) {
    if (rest[i] == '"') {
      rest = WithoutBlanks(rest.substr(i + 1));
      return text;
    }
    const bool is_escaped = rest[i] == '\\' && i + 1 < rest.size();
    if (is_escaped) ++i;
    text += is_escaped && rest[i] == 'n' ? '\n' : rest[i];
  }
  return std::nullopt;
}

}  // namespace

bool IsEndOfMetrics(std::string_view line) {
  return line == "# EOF" || line == "# EOF\r";
}

Result<std::optional<SampleLine>> ReadSampleLine(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  line = WithoutBlanks(line);
  if (line.empty() || line.starts_with('#')) return std::nullopt;
  const std::size_t brace = line.find_first_of("{ \t");
  std::size_t end = brace;
  if (brace != std::string_view::npos && line[brace] == '{') end = EndOfLabels(line, brace + 1);
  if (end == std::string_view::npos) return Invalid("it is neither a sample nor a comment");
  SampleLine sample{.series = line.substr(0, end)};
  std::string_view rest = line.substr(end);
  const std::string_view value = TakeWord(rest);
  const auto number = ParseSampleNumber(value);
  if (!number) return Invalid(fmt::format("\"{}\" is no value of a sample", value));
  sample.value = *number;
  const std::string_view time = TakeWord(rest);
  if (time.empty() || time.starts_with('#')) return Invalid("the sample has no time");
  auto at = TimeOf(time, line.starts_with("{__name__"));
  if (!at) return Fail(at.error());
  sample.at = *at;
  rest = WithoutBlanks(rest);
  if (!rest.empty() && !rest.starts_with('#')) {
    return Invalid("there is more than a series, a value and a time");
  }
  return sample;
}

Result<MetricSeries> ReadSeries(std::string_view series) {
  constexpr const char* kForm = "the labels break the form: name{label=\"value\",...}";
  MetricSeries read;
  const std::size_t brace = series.find('{');
  read.name = std::string(series.substr(0, brace));
  std::string_view rest =
      brace == std::string_view::npos ? "}" : WithoutBlanks(series.substr(brace + 1));
  while (rest != "}") {
    // A name in quotes may stand alone: {"name", label="value"}.
    const bool is_quoted = rest.starts_with('"');
    std::string name(is_quoted ? TakeText(rest).value_or("")
                               : rest.substr(0, rest.find_first_of("=, \t}")));
    if (!is_quoted) rest = WithoutBlanks(rest.substr(name.size()));
    std::optional<std::string> value;
    if (rest.starts_with('=')) {
      rest = WithoutBlanks(rest.substr(1));
      value = TakeText(rest);
    } else if (is_quoted) {
      value = std::exchange(name, kNameLabel);
    }
    if (name.empty() || !value) return Invalid(kForm);
    if (name == kNameLabel) {
      if (!read.name.empty()) return Invalid("the series has two names");
      read.name = *std::move(value);
    } else if (!read.labels.try_emplace(name, *std::move(value)).second) {
      return Invalid(fmt::format("label {}: it is there twice", name));
    }
    if (rest.starts_with(',')) {
      rest = WithoutBlanks(rest.substr(1));
    } else if (rest != "}") {
      return Invalid(kForm);
    }
  }
  if (read.name.empty()) return Invalid("the series has no name");
  return read;
}

std::optional<double> ParseSampleNumber(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Inf") return std::numeric_limits<double>::infinity();
  if (text == "-Inf") return -std::numeric_limits<double>::infinity();
  return ParseNumber<double>(text);
}

std::optional<Instant> InstantOfSeconds(double seconds) {
  constexpr double kMostSeconds = 9e9;
  if (!std::isfinite(seconds) || std::abs(seconds) > kMostSeconds) return std::nullopt;
  return Instant(std::chrono::milliseconds(std::llround(seconds * 1e3)));
}

}  // namespace jettison
