#include "codec/kubernetes/summary_reader.h"

#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "codec/kubernetes/summary_fields.h"
#include "core/text/number.h"
#include "core/units/duration.h"

namespace jettison {
namespace {

using kube_json::Field;

// The number, if all of its text is one of this type.
template <typename Number>
std::optional<Number> NumberIn(const Field& field) {
  const auto* text = field.value()->AsNumber();
  return text == nullptr ? std::nullopt : ParseNumber<Number>(text->text);
}

// Reads the figures of a form (summary_fields.h).
class FigureReader {
 public:
  template <typename T>
  static void Read(const Field& field, T& form) {
    if (!field.IsMap()) return;
    FigureReader figures(field);
    VisitFields(figures, form);
  }
  template <typename T>
  static void Read(const Field& field, std::optional<T>& form) {
    if (field.IsPresent()) Read(field, form.emplace());
  }
  template <std::integral Number>
  static void Read(const Field& field, std::optional<Number>& number) {
    if (!field.IsPresent()) return;
    number = NumberIn<Number>(field);
    if (number) return;
    field.Fault(std::is_signed_v<Number> ? "must be a whole number"
                                         : "must be a whole number, 0 or more");
  }
  static void Read(const Field& field, std::optional<Instant>& time) {
    if (!field.IsPresent()) return;
    const std::string* const text = field.value()->AsString();
    if (text == nullptr) return field.Fault("must be a time such as 2026-01-01T00:00:00Z");
    const auto instant = ParseInstant(*text);
    if (!instant) return field.Fault(instant.error().message);
    time = *instant;
  }

  template <typename T>
  void operator()(std::string_view name, T& into) {
    Read(map_.Member(name), into);
  }
  // A percentage as a number, 12.34, in hundredths of a percent.
  void Share(std::string_view name, std::optional<std::int32_t>& share) {
    constexpr double kMost = 100;
    const Field field = map_.Member(name);
    if (!field.IsPresent()) return;
    const auto percent = NumberIn<double>(field);
    if (!percent || *percent < 0 || *percent > kMost) {
      return field.Fault("must be a number from 0 to 100");
    }
    share = static_cast<std::int32_t>(std::lround(*percent * kMost));
  }

 private:
  explicit FigureReader(const Field& map) : map_(map) {}
  const Field& map_;
};

void ReadText(const Field& field, std::string& into) {
  into = field.String().value_or("");
}

// Reads a list of maps: read(item, into).
template <typename T, typename Read>
void ReadList(const Field& list, std::vector<T>& into, Read read) {
  list.ForEachItem([&](const Field& item) {
    if (!item.IsPresent()) item.Fault("must be a map, found null");
    if (item.IsMap()) read(item, into.emplace_back());
  });
}

void ReadIo(const Field& field, std::optional<PressureStats>& pressure) {
  if (!field.IsMap()) return;
  FigureReader::Read(field.Member("psi"), pressure);
  if (pressure) FigureReader::Read(field.Member("time"), pressure->time);
}

void ReadNode(const Field& field, NodeStats& node) {
  if (!field.IsMap()) return;
  ReadText(field.Member("nodeName"), node.node_name);
  FigureReader::Read(field, node);
  const Field memory = field.Member("memory");
  FigureReader::Read(memory, node.memory);
  FigureReader::Read(memory.Member("psi"), node.memory_pressure);
  if (node.memory_pressure) node.memory_pressure->time = node.memory->time;
  ReadIo(field.Member("io"), node.io_pressure);
  const Field runtime = field.Member("runtime");
  if (runtime.IsMap()) {
    FigureReader::Read(runtime.Member("imageFs"), node.image_fs);
    FigureReader::Read(runtime.Member("containerFs"), node.container_fs);
  }
  // The kubelet looks for the first of the name "pods".
  bool found = false;
  field.Member("systemContainers").ForEachItem([&](const Field& item) {
    if (!item.IsMap()) return;
    std::optional<MemoryStats> of_container;
    FigureReader::Read(item.Member("memory"), of_container);
    if (item.Member("name").String() != "pods" || std::exchange(found, true)) return;
    node.pods_memory = of_container;
  });
}

// One number of a map that may be null.
void ReadCount(const Field& map, std::string_view name, std::optional<std::uint64_t>& count) {
  if (map.IsMap()) FigureReader::Read(map.Member(name), count);
}

void ReadContainer(const Field& field, ContainerStats& container) {
  ReadText(field.Member("name"), container.name);
  ReadCount(field.Member("memory"), "workingSetBytes", container.memory_working_set_bytes);
  FigureReader::Read(field.Member("rootfs"), container.rootfs);
  FigureReader::Read(field.Member("logs"), container.logs);
}

void ReadPodStats(const Field& field, PodStats& pod) {
  const Field ref = field.Member("podRef");
  if (ref.IsMap()) {
    ReadText(ref.Member("name"), pod.name);
    ReadText(ref.Member("namespace"), pod.namespace_);
    ReadText(ref.Member("uid"), pod.uid);
  }
  pod.has_memory = field.Member("memory").IsPresent();
  ReadCount(field.Member("memory"), "workingSetBytes", pod.memory_working_set_bytes);
  ReadCount(field.Member("swap"), "swapUsageBytes", pod.swap_bytes);
  std::optional<PressureStats> io;
  ReadIo(field.Member("io"), io);
  if (io) pod.io_some_avg10 = io->some.avg10;
  FigureReader::Read(field.Member("ephemeral-storage"), pod.ephemeral_storage);
  FigureReader::Read(field.Member("staleDisk"), pod.stale_disk);
  ReadCount(field.Member("process_stats"), "process_count", pod.process_count);
  ReadList(field.Member("containers"), pod.containers, ReadContainer);
  ReadList(field.Member("volume"), pod.volumes, [](const Field& item, VolumeStats& volume) {
    ReadText(item.Member("name"), volume.name);
    FigureReader::Read(item, volume.usage);
  });
}

}  // namespace

void ReadSummary(const Field& summary, Summary& into) {
  into = {};
  if (!summary.IsMap()) return;
  ReadNode(summary.Member("node"), into.node);
  ReadList(summary.Member("pods"), into.pods, ReadPodStats);
}

Result<void> ReadSummary(const Value& document, Summary& into) {
  FaultLog log;
  const Field summary(document, log);
  if (!summary.IsPresent()) summary.Fault("must be a map");
  ReadSummary(summary, into);
  if (!log.faults.empty()) return Fail(ErrorCode::kInvalidArgument, DescribeAll(log.faults));
  return {};
}

}  // namespace jettison
