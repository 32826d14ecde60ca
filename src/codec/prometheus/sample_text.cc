#include "codec/prometheus/sample_text.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

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

// Reads labels one after another.
class LabelReader {
 public:
  explicit LabelReader(std::string_view text) : rest_(text) {}

  Result<void> ReadInto(MetricSeries& series) {
    for (;;) {
      rest_ = WithoutBlanks(rest_);
      if (rest_.empty()) return {};
      if (auto read = ReadOne(series); !read) return read;
      rest_ = WithoutBlanks(rest_);
      if (rest_.empty()) return {};
      if (!rest_.starts_with(',')) return Invalid("a comma is missing between two labels");
      rest_.remove_prefix(1);
    }
  }

 private:
  Result<void> ReadOne(MetricSeries& series) {
    // A name in quotes may stand alone: {"name", label="value"}.
    if (rest_.starts_with('"')) {
      auto name = ReadText();
      if (!name) return Fail(name.error());
      rest_ = WithoutBlanks(rest_);
      if (!rest_.starts_with('=')) return SetName(*std::move(name), series);
      return ReadValue(*std::move(name), series);
    }
    const std::size_t end = rest_.find_first_of("=, \t");
    std::string name(rest_.substr(0, end));
    if (name.empty()) return Invalid("a label has no name");
    rest_.remove_prefix(name.size());
    return ReadValue(std::move(name), series);
  }

  Result<void> ReadValue(std::string name, MetricSeries& series) {
    rest_ = WithoutBlanks(rest_);
    if (!rest_.starts_with('=')) return Invalid(fmt::format("label {}: \"=\" is missing", name));
    rest_ = WithoutBlanks(rest_.substr(1));
    auto value = ReadText();
    if (!value) return Fail(value.error().In("label " + name));
    if (name == kNameLabel) return SetName(*std::move(value), series);
    if (!series.labels.try_emplace(name, *std::move(value)).second) {
      return Invalid(fmt::format("label {}: it is there twice", name));
    }
    return {};
  }

  static Result<void> SetName(std::string name, MetricSeries& series) {
    if (!series.name.empty()) return Invalid("the series has two names");
    series.name = std::move(name);
    return {};
  }

  Result<std::string> ReadText() {
    if (!rest_.starts_with('"')) return Invalid("its value is not in quotes");
    std::string text;
    for (std::size_t i = 1; i < rest_.size(); ++i) {
      if (rest_[i] == '"') {
        rest_.remove_prefix(i + 1);
        return text;
      }
      if (rest_[i] == '\\' && i + 1 < rest_.size()) {
        ++i;
        text += rest_[i] == 'n' ? '\n' : rest_[i];
      } else {
        text += rest_[i];
      }
    }
    return Invalid("its value does not end");
  }

  std::string_view rest_;
};

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
  MetricSeries read;
  const std::size_t brace = series.find('{');
  read.name = std::string(series.substr(0, brace));
  if (brace != std::string_view::npos) {
    if (!series.ends_with('}')) return Invalid("the labels do not end");
    LabelReader labels(series.substr(brace + 1, series.size() - brace - 2));
    if (auto done = labels.ReadInto(read); !done) return Fail(done.error());
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
