#include "cli/demo/demo_show.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <utility>

#include "cli/demo/demo_screen.h"
#include "cli/terminal/terminal.h"
#include "ports/file_descriptor.h"

namespace jettison {
namespace {

constexpr std::size_t kLogLines = 30;
constexpr Duration kShortestFrame = std::chrono::milliseconds(50);

}  // namespace

DemoShow::DemoShow(DemoPaths paths, DemoFacts facts, DemoView view, int patience)
    : paths_(std::move(paths)),
      facts_(std::move(facts)),
      view_(view),
      terminal_(view == DemoView::kScreen ? DemoTerminal::Open() : std::nullopt),
      script_(patience) {}

void DemoShow::Follow(const DemoCues& cues) const {
  if (cues.close_gate) ::unlink(paths_.Gate(*cues.close_gate).c_str());
  if (cues.open_gate) {
    const FileDescriptor gate(
        ::open(paths_.Gate(*cues.open_gate).c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
  }
}

void DemoShow::Show(const Snapshot& snapshot) {
  const ScreenContent content{.snapshot = snapshot,
                              .started = history_.first.value_or(snapshot.at),
                              .act = script_.act(),
                              .peaks = peaks_};
  if (terminal_) {
    const bool soon = drawn_at_ && snapshot.at - *drawn_at_ < kShortestFrame;
    if (soon && !finished_) return;
    drawn_at_ = snapshot.at;
    terminal_->Draw(ComposeScreen(content, SizeOfStandardOutput(), StyleOfStandardOutput()));
  } else if (view_ != DemoView::kNothing) {
    for (const std::string& line : lines_.News(content)) fmt::print("{}\n", line);
    std::fflush(stdout);
  }
}

void DemoShow::Observe(const Snapshot& snapshot) {
  if (finished_) return;
  history_.Record(snapshot);
  const DemoCues cues = script_.Advance(snapshot, history_);
  Follow(cues);
  peaks_.Record(snapshot, script_.act());
  finished_ = cues.finished;
  Show(snapshot);
  if (finished_ && on_finished) on_finished();
}

void DemoShow::KeepLogLine(std::string_view line) {
  log_.emplace_back(line);
  if (log_.size() > kLogLines) log_.pop_front();
}

}  // namespace jettison
