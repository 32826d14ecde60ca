// links: jettison_shim_parts jettison_process
//
// Any bytes, read as an order to a shim, as the state files of a run, and cut into log lines: an
// accepted order is complete, an exit record is written so that it reads back the same, and the
// lines put together are the bytes again, whatever pieces they came in.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "fuzz/fuzz.h"
#include "runtimes/process/runs/run_record.h"
#include "runtimes/process/shim/log_file.h"
#include "runtimes/process/shim/order.h"

namespace shim = jettison::shim;

namespace {

void ReadAsOrder(std::string text) {
  shim::Order order;
  if (!shim::ParseOrder(text.data(), text.size(), order)) return;
  for (std::size_t i = 0; i < order.mounts.count; ++i) {
    const shim::MountOrder& mount = order.mounts.items[i];
    if (mount.source == nullptr || mount.target == nullptr) std::abort();
  }
  if (order.mode == shim::Mode::kRun && order.args.items[order.args.count] != nullptr) std::abort();
}

void ReadAsRecords(std::string_view text) {
  namespace process = jettison::process;
  if (const auto exit = process::ParseExitRecord(text)) {
    Require(process::ParseExitRecord(process::FormatExitRecord(*exit)) == exit);
  }
  if (const auto run = process::ParseRunRecord(text)) Require(run->shim.pid > 1);
}

void CutIntoLines(const std::string& text) {
  const auto cutter = std::make_unique<shim::LineCutter>();
  // The first byte says how large the pieces are.
  const std::size_t piece = text.empty() ? 1 : static_cast<unsigned char>(text[0]) + std::size_t{1};
  std::string together;
  const auto take = [&](const shim::Line& line) {
    if (line.size > shim::kMaxLineBytes) std::abort();
    together.append(line.text, line.size);
    if (line.full) together += '\n';
  };
  shim::Line line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = std::min({piece, text.size() - at, cutter->room()});
    if (size == 0) std::abort();
    std::memcpy(cutter->space(), text.data() + at, size);
    cutter->Commit(size);
    at += size;
    while (cutter->Next(line)) take(line);
  }
  if (cutter->Last(line)) take(line);
  if (together != text) std::abort();
}

}  // namespace

void Fuzz(std::string_view bytes) {
  const std::string text(bytes);
  ReadAsOrder(text);
  ReadAsRecords(text);
  CutIntoLines(text);
}
