#include "codec/flight/values/pod_row.h"

#include <algorithm>

#include "codec/flight/values/slots.h"

namespace jettison {
namespace {

constexpr std::size_t kContainerWidth = 6;
constexpr std::size_t kVolumeWidth = 3;

template <typename Slots, typename Usage>
void VisitUsage(Slots& slots, Usage& usage) {
  slots.Amount(usage.used_bytes);
  slots.Amount(usage.inodes_used);
}

template <typename Slots, typename Container>
void VisitContainer(Slots& slots, Container& container) {
  slots.Amount(container.memory_working_set_bytes);
  VisitUsage(slots, slots.Part(container.rootfs));
  VisitUsage(slots, slots.Part(container.logs));
}

// What the parts of a pod add up to; the pod as a whole is told as the difference from it.
struct Sums {
  std::uint64_t memory = 0;
  std::uint64_t bytes = 0;
  std::uint64_t inodes = 0;

  void Add(const std::optional<FsUsage>& usage) {
    if (!usage) return;
    bytes += OrZero(usage->used_bytes);
    inodes += OrZero(usage->inodes_used);
  }
};

Sums SumsOf(const PodStats& pod) {
  Sums sums;
  for (const ContainerStats& container : pod.containers) {
    sums.memory += OrZero(container.memory_working_set_bytes);
    sums.Add(container.rootfs);
    sums.Add(container.logs);
  }
  for (const VolumeStats& volume : pod.volumes) sums.Add(volume.usage);
  return sums;
}

template <typename Slots, typename Stats>
void VisitWhole(Slots& slots, Stats& pod) {
  const Sums sums = SumsOf(pod);
  slots.Flag(pod.has_memory);
  slots.Amount(pod.memory_working_set_bytes, sums.memory);
  slots.Amount(pod.swap_bytes);
  auto& storage = slots.Part(pod.ephemeral_storage);
  slots.Amount(storage.used_bytes, sums.bytes);
  slots.Amount(storage.inodes_used, sums.inodes);
  slots.Time(slots.Part(pod.stale_disk).measured_at);
  std::optional<std::uint64_t> formerly_passed_over_at;  // the slot stays, for older recordings
  slots.Amount(formerly_passed_over_at);
  slots.Amount(pod.process_count);
  slots.Amount(pod.io_some_avg10);
}

template <typename Texts, typename Parts>
bool NamesAre(const Texts& names, const Parts& parts) {
  return std::ranges::equal(names, parts, {}, {}, [](const auto& part) { return part.name; });
}

void WriteNames(const std::vector<std::string>& names, ByteWriter& out) {
  out.Number(names.size());
  for (const std::string& name : names) out.Text(name);
}

std::vector<std::string> ReadNames(ByteReader& in) {
  std::vector<std::string> names;
  for (std::size_t left = in.Count(); left > 0; --left) names.emplace_back(in.Text());
  return names;
}

// Calls `visit` with each part of a pod and its place in the row.
template <typename Stats, typename Visit>
void ForEachPart(Stats& pod, const Visit& visit) {
  std::size_t at = 0;
  for (auto& container : pod.containers) {
    visit(container, at, kContainerWidth);
    at += kContainerWidth;
  }
  for (auto& volume : pod.volumes) {
    visit(volume, at, kVolumeWidth);
    at += kVolumeWidth;
  }
  visit(pod, at, 9);
}

struct VisitPart {
  template <typename Slots>
  static void In(Slots& slots, auto& part) {
    if constexpr (requires { part.rootfs; }) {
      VisitContainer(slots, part);
    } else if constexpr (requires { part.usage; }) {
      VisitUsage(slots, part.usage);
    } else {
      VisitWhole(slots, part);
    }
  }
};

}  // namespace

bool PodShape::IsOf(const PodStats& pod) const {
  return uid == pod.uid && name == pod.name && namespace_ == pod.namespace_ &&
         NamesAre(containers, pod.containers) && NamesAre(volumes, pod.volumes);
}

PodShape ShapeOf(const PodStats& pod) {
  PodShape shape{.uid = pod.uid, .name = pod.name, .namespace_ = pod.namespace_};
  for (const ContainerStats& container : pod.containers) shape.containers.push_back(container.name);
  for (const VolumeStats& volume : pod.volumes) shape.volumes.push_back(volume.name);
  return shape;
}

void WriteShape(const PodShape& shape, ByteWriter& out) {
  out.Text(shape.uid);
  out.Text(shape.name);
  out.Text(shape.namespace_);
  WriteNames(shape.containers, out);
  WriteNames(shape.volumes, out);
}

PodShape ReadShape(ByteReader& in) {
  PodShape shape;
  shape.uid = in.Text();
  shape.name = in.Text();
  shape.namespace_ = in.Text();
  shape.containers = ReadNames(in);
  shape.volumes = ReadNames(in);
  return shape;
}

void PutPod(const PodStats& pod, std::span<std::uint64_t> row) {
  ForEachPart(pod, [&](const auto& part, std::size_t at, std::size_t width) {
    SlotWriter slots(row.subspan(at, width));
    VisitPart::In(slots, part);
  });
}

PodStats TakePod(const PodShape& shape, std::span<const std::uint64_t> row) {
  PodStats pod{.uid = shape.uid, .name = shape.name, .namespace_ = shape.namespace_};
  pod.containers.resize(shape.containers.size());
  for (std::size_t i = 0; i < pod.containers.size(); ++i) {
    pod.containers[i].name = shape.containers[i];
  }
  pod.volumes.resize(shape.volumes.size());
  for (std::size_t i = 0; i < pod.volumes.size(); ++i) pod.volumes[i].name = shape.volumes[i];
  ForEachPart(pod, [&](auto& part, std::size_t at, std::size_t width) {
    SlotReader slots(row.subspan(at, width));
    VisitPart::In(slots, part);
  });
  return pod;
}

}  // namespace jettison
