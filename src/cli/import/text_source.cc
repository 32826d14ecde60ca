#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "cli/import/import.h"
#include "cli/terminal/output.h"
#include "codec/prometheus/prometheus.h"
#include "kernel/files/line_reader.h"

namespace jettison {
namespace {

// Far more than the labels of a series take.
constexpr std::size_t kLongestLine = std::size_t{1} << 20;

}  // namespace

Result<std::size_t> TextSource::Learn(NodeDirectory& directory) {
  const auto learn = [&](const MetricSeries& series) {
    if (const auto figure = FigureOf(series)) directory.Learn(*figure);
    return false;
  };
  return Read(learn, nullptr);
}

Result<void> TextSource::ReadInto(SeriesSink& sink) {
  const auto read = Read([&](const MetricSeries& series) { return sink.Begin(series); }, &sink);
  if (!read) return Fail(read.error());
  return {};
}

Result<std::size_t> TextSource::Read(const std::function<bool(const MetricSeries&)>& begin,
                                     SeriesSink* sink) {
  const auto cannot = [&](std::string_view what) {
    return Fail(ErrorCode::kUnavailable,
                fmt::format("cannot {} {}: {}", what, path_, std::strerror(errno)));
  };
  const std::unique_ptr<std::FILE, decltype(&std::fclose)> file(std::fopen(path_.c_str(), "re"),
                                                                &std::fclose);
  struct stat status {};
  if (!file || ::fstat(::fileno(file.get()), &status) != 0) return cannot("open");
  if (!S_ISREG(status.st_mode)) {
    return Fail(ErrorCode::kUnavailable,
                fmt::format("cannot read {}: a dump is read twice, so it must be a file", path_));
  }
  ProgressBar bar(true);
  LineReader lines(file.get(), kLongestLine);
  std::size_t faults = 0;
  const auto note = [&](const std::string& fault) {
    if (sink != nullptr || ++faults > kMostFaults) return;
    bar.Clear();
    PrintError("jettison: {}: line {}: {}\n", path_, lines.line_number(), fault);
  };
  std::string series;  // of the line before: it is taken apart once for lines that follow
  bool is_wanted = false;
  bool is_open_metrics = false;
  bool ended = false;
  std::uint64_t read = 0;
  while (const auto line = lines.Next()) {
    read += line->size() + 1;
    bar.Draw(static_cast<double>(read) / static_cast<double>(status.st_size), path_);
    if (lines.IsCutOff()) {
      note(lines.TooLong());
      continue;
    }
    ended |= IsEndOfMetrics(*line);
    const auto sample = ReadSampleLine(*line);
    if (!sample) {
      note(sample.error().message);
      continue;
    }
    if (!*sample) {
      is_open_metrics |= line->starts_with("# TYPE") || line->starts_with("# HELP");
      continue;
    }
    if ((*sample)->series != series) {
      series = (*sample)->series;
      const auto named = ReadSeries(series);
      is_wanted = named && begin(*named);
      if (!named) note(named.error().message);
    }
    if (!is_wanted) continue;
    if (auto added = sink->Add((*sample)->at, (*sample)->value); !added) {
      return Fail(added.error());
    }
  }
  if (lines.Failed()) return cannot("read");
  if (is_open_metrics && !ended) note("the file ends without \"# EOF\", so it may be cut off");
  if (faults > kMostFaults) {
    bar.Clear();
    PrintError("jettison: {}: {} more lines are invalid\n", path_, faults - kMostFaults);
  }
  return faults;
}

}  // namespace jettison
