#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "cli/import/import.h"
#include "cli/terminal/output.h"
#include "codec/prometheus/sample_text.h"
#include "kernel/files/line_reader.h"

namespace jettison {

namespace {

// Far more than the labels of a series take.
constexpr std::size_t kLongestLine = std::size_t{1} << 20;

}  // namespace

// One reading of the file. A series is taken apart once for all of its lines that follow one
// another.
class TextSource::Pass {
 public:
  // Whether samples of the series are wanted.
  using Begin = std::function<bool(const MetricSeries&)>;
  using Add = std::function<Result<void>(Instant, double)>;

  Pass(TextSource& source, bool names_faults) : source_(source), names_faults_(names_faults) {}

  Result<void> Run(const Begin& begin, const Add& add) {
    const std::unique_ptr<std::FILE, decltype(&std::fclose)> file(
        std::fopen(source_.path_.c_str(), "re"), &std::fclose);
    struct stat status {};
    if (!file || ::fstat(::fileno(file.get()), &status) != 0) return CannotRead("open");
    if (!S_ISREG(status.st_mode)) {
      return Fail(
          ErrorCode::kUnavailable,
          fmt::format("cannot read {}: a dump is read twice, so it must be a file", source_.path_));
    }
    ProgressBar bar(true);
    LineReader lines(file.get(), 0, kLongestLine);
    while (const auto line = lines.Next()) {
      read_ += line->size() + 1;
      bar.Draw(static_cast<double>(read_) / static_cast<double>(status.st_size), source_.path_);
      if (lines.IsCutOff()) {
        Note(lines.line_number(), lines.TooLong());
        continue;
      }
      if (auto taken = Take(*line, lines.line_number(), begin, add); !taken) return taken;
    }
    if (lines.Failed()) return CannotRead("read");
    if (is_open_metrics_ && !ended_) {
      Note(lines.line_number(), "the file ends without \"# EOF\", so it may be cut off");
    }
    return {};
  }

 private:
  Result<void> CannotRead(std::string_view what) const {
    return Fail(ErrorCode::kUnavailable,
                fmt::format("cannot {} {}: {}", what, source_.path_, std::strerror(errno)));
  }

  Result<void> Take(std::string_view line, std::size_t number, const Begin& begin, const Add& add) {
    if (IsEndOfMetrics(line)) ended_ = true;
    const auto sample = ReadSampleLine(line);
    if (!sample) {
      Note(number, sample.error().message);
      return {};
    }
    if (!*sample) {
      is_open_metrics_ |= line.starts_with("# TYPE") || line.starts_with("# HELP");
      return {};
    }
    if ((*sample)->series != series_) {
      series_ = (*sample)->series;
      is_wanted_ = false;
      const auto series = ReadSeries(series_);
      if (!series) {
        Note(number, series.error().message);
        return {};
      }
      is_wanted_ = begin(*series);
    }
    return is_wanted_ ? add((*sample)->at, (*sample)->value) : Result<void>();
  }

  void Note(std::size_t line, const std::string& fault) {
    if (names_faults_) source_.Note(line, fault);
  }

  TextSource& source_;
  const bool names_faults_;
  std::string series_;  // of the line before
  bool is_wanted_ = false;
  bool is_open_metrics_ = false;
  bool ended_ = false;
  std::uint64_t read_ = 0;
};

void TextSource::Note(std::size_t line, const std::string& fault) {
  if (++fault_count_ <= kMostFaults) {
    faults_.push_back(fmt::format("{}: line {}: {}", path_, line, fault));
  }
}

Result<void> TextSource::Learn(NodeDirectory& directory) {
  return Pass(*this, /*names_faults=*/true)
      .Run(
          [&](const MetricSeries& series) {
            if (const auto figure = FigureOf(series)) directory.Learn(*figure);
            return false;
          },
          [](Instant, double) -> Result<void> { return {}; });
}

Result<void> TextSource::ReadInto(SeriesSink& sink) {
  return Pass(*this, /*names_faults=*/false)
      .Run([&](const MetricSeries& series) { return sink.Begin(series); },
           [&](Instant at, double value) { return sink.Add(at, value); });
}

}  // namespace jettison
