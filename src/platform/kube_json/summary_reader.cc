#include "platform/kube_json/summary_reader.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <concepts>
#include <string>
#include <string_view>
#include <utility>

namespace jettison {
namespace {

using Element = simdjson::dom::element;

// Empties an item for its next use without giving back its memory.
void Reset(PodStats& pod) {
  pod.uid.clear();
  pod.name.clear();
  pod.namespace_.clear();
  pod.containers.clear();
  pod.volumes.clear();
  pod.has_memory = false;
  pod.memory_working_set_bytes.reset();
  pod.ephemeral_storage.reset();
  pod.process_count.reset();
}
template <typename T>
void Reset(T& item) {
  item = T{};
}

// The item of that index, empty; one more where the list ends there.
template <typename T>
T& Fresh(std::vector<T>& items, std::size_t index) {
  if (index == items.size()) return items.emplace_back();
  Reset(items[index]);
  return items[index];
}

// Walks a summary once, field by field. Every step answers whether it succeeded; where one fails,
// each level on the way back puts its name in front of the path, so success costs nothing.
class Walk {
 public:
  bool Root(Element element, Summary& summary);
  [[nodiscard]] Error TakeError();

 private:
  // Visits the fields of a map: visit(key, value) -> bool.
  template <typename Visit>
  bool Fields(Element element, Visit visit);
  // Visits a list as `items`, which is made as long as the list.
  template <typename T, typename Visit>
  bool Items(Element element, std::vector<T>& items, Visit visit);

  bool Node(Element element, NodeStats& node);
  bool SystemContainers(Element element, std::optional<MemoryStats>& pods_memory);
  bool Runtime(Element element, NodeStats& node);
  bool Memory(Element element, std::optional<MemoryStats>& memory);
  bool Fs(Element element, std::optional<FsStats>& fs);
  bool Rlimit(Element element, std::optional<RlimitStats>& rlimit);
  bool Pod(Element element, PodStats& pod);
  bool PodRef(Element element, PodStats& pod);
  bool PodMemory(Element element, PodStats& pod);
  bool ProcessStats(Element element, std::optional<std::uint64_t>& count);
  bool Container(Element element, ContainerStats& container);
  bool WorkingSet(Element element, std::optional<std::uint64_t>& bytes);
  bool Volume(Element element, VolumeStats& volume);
  bool Usage(Element element, std::optional<FsUsage>& usage);
  bool UsageField(std::string_view key, Element value, FsUsage& usage);

  bool Text(Element element, std::string& text);
  bool Time(Element element, std::optional<Instant>& time);
  template <std::integral Number>
  bool Count(Element element, std::optional<Number>& number);

  bool Fail(std::string_view rule);
  bool In(std::string_view field, bool ok);

  std::string path_;
  std::string rule_;
};

bool Walk::Fail(std::string_view rule) {
  rule_ = rule;
  return false;
}

bool Walk::In(std::string_view field, bool ok) {
  if (!ok) path_.insert(0, fmt::format(".{}", field));
  return ok;
}

Error Walk::TakeError() {
  std::string_view path = path_;
  if (path.starts_with('.')) path.remove_prefix(1);
  return {ErrorCode::kInvalidArgument,
          path.empty() ? fmt::format("summary {}", rule_) : fmt::format("{}: {}", path, rule_)};
}

template <typename Visit>
bool Walk::Fields(Element element, Visit visit) {
  simdjson::dom::object object;
  if (element.get(object) != simdjson::SUCCESS) return Fail("must be a map");
  for (const auto field : object) {
    if (!In(field.key, visit(field.key, field.value))) return false;
  }
  return true;
}

template <typename T, typename Visit>
bool Walk::Items(Element element, std::vector<T>& items, Visit visit) {
  simdjson::dom::array array;
  std::size_t count = 0;
  if (element.get(array) == simdjson::SUCCESS) {
    for (const Element item : array) {
      if (!visit(item, Fresh(items, count))) {
        path_.insert(0, fmt::format("[{}]", count));
        return false;
      }
      ++count;
    }
  } else if (!element.is_null()) {
    return Fail("must be a list");
  }
  items.resize(count);
  return true;
}

bool Walk::Text(Element element, std::string& text) {
  std::string_view view;
  if (element.get(view) == simdjson::SUCCESS) {
    text.assign(view);
    return true;
  }
  text.clear();
  return element.is_null() || Fail("must be a string");
}

bool Walk::Time(Element element, std::optional<Instant>& time) {
  if (element.is_null()) return true;
  std::string_view text;
  if (element.get(text) != simdjson::SUCCESS)
    return Fail("must be a time such as 2026-01-01T00:00:00Z");
  const Result<Instant> instant = ParseInstant(text);
  if (!instant) return Fail(instant.error().message);
  time = *instant;
  return true;
}

template <std::integral Number>
bool Walk::Count(Element element, std::optional<Number>& number) {
  Number value = 0;
  if (element.get(value) == simdjson::SUCCESS) {
    number = value;
    return true;
  }
  if (element.is_null()) return true;
  return Fail(std::is_signed_v<Number> ? "must be a whole number"
                                       : "must be a whole number, 0 or more");
}

bool Walk::Memory(Element element, std::optional<MemoryStats>& memory) {
  if (element.is_null()) return true;
  MemoryStats& into = memory.emplace();
  return Fields(element, [&](std::string_view key, Element value) {
    if (key == "time") return Time(value, into.time);
    if (key == "availableBytes") return Count(value, into.available_bytes);
    if (key == "usageBytes") return Count(value, into.usage_bytes);
    if (key == "workingSetBytes") return Count(value, into.working_set_bytes);
    return true;
  });
}

bool Walk::Fs(Element element, std::optional<FsStats>& fs) {
  if (element.is_null()) return true;
  FsStats& into = fs.emplace();
  return Fields(element, [&](std::string_view key, Element value) {
    if (key == "time") return Time(value, into.time);
    if (key == "availableBytes") return Count(value, into.available_bytes);
    if (key == "capacityBytes") return Count(value, into.capacity_bytes);
    if (key == "usedBytes") return Count(value, into.used_bytes);
    if (key == "inodesFree") return Count(value, into.inodes_free);
    if (key == "inodes") return Count(value, into.inodes);
    if (key == "inodesUsed") return Count(value, into.inodes_used);
    return true;
  });
}

bool Walk::Rlimit(Element element, std::optional<RlimitStats>& rlimit) {
  if (element.is_null()) return true;
  RlimitStats& into = rlimit.emplace();
  return Fields(element, [&](std::string_view key, Element value) {
    if (key == "time") return Time(value, into.time);
    if (key == "maxpid") return Count(value, into.max_pid);
    if (key == "curproc") return Count(value, into.running);
    return true;
  });
}

// The kubelet looks for the first of that name.
bool Walk::SystemContainers(Element element, std::optional<MemoryStats>& pods_memory) {
  bool found = false;
  std::vector<std::string> names;
  return Items(element, names, [&](Element item, std::string& name) {
    std::optional<MemoryStats> memory;
    const bool ok = Fields(item, [&](std::string_view key, Element value) {
      if (key == "name") return Text(value, name);
      if (key == "memory") return Memory(value, memory);
      return true;
    });
    if (name == "pods" && !std::exchange(found, true)) pods_memory = memory;
    return ok;
  });
}

bool Walk::Runtime(Element element, NodeStats& node) {
  if (element.is_null()) return true;
  return Fields(element, [&](std::string_view key, Element value) {
    if (key == "imageFs") return Fs(value, node.image_fs);
    if (key == "containerFs") return Fs(value, node.container_fs);
    return true;
  });
}

bool Walk::Node(Element element, NodeStats& node) {
  return Fields(element, [&](std::string_view key, Element value) {
    if (key == "nodeName") return Text(value, node.node_name);
    if (key == "systemContainers") return SystemContainers(value, node.pods_memory);
    if (key == "memory") return Memory(value, node.memory);
    if (key == "fs") return Fs(value, node.fs);
    if (key == "runtime") return Runtime(value, node);
    if (key == "rlimit") return Rlimit(value, node.rlimit);
    return true;
  });
}

bool Walk::UsageField(std::string_view key, Element value, FsUsage& usage) {
  if (key == "usedBytes") return Count(value, usage.used_bytes);
  if (key == "inodesUsed") return Count(value, usage.inodes_used);
  return true;
}

bool Walk::Usage(Element element, std::optional<FsUsage>& usage) {
  if (element.is_null()) return true;
  FsUsage& into = usage.emplace();
  return Fields(element,
                [&](std::string_view key, Element value) { return UsageField(key, value, into); });
}

bool Walk::WorkingSet(Element element, std::optional<std::uint64_t>& bytes) {
  return Fields(element, [&](std::string_view key, Element value) {
    return key != "workingSetBytes" || Count(value, bytes);
  });
}

bool Walk::Container(Element element, ContainerStats& container) {
  return Fields(element, [&](std::string_view key, Element value) {
    if (key == "name") return Text(value, container.name);
    if (key == "memory") {
      return value.is_null() || WorkingSet(value, container.memory_working_set_bytes);
    }
    if (key == "rootfs") return Usage(value, container.rootfs);
    if (key == "logs") return Usage(value, container.logs);
    return true;
  });
}

bool Walk::Volume(Element element, VolumeStats& volume) {
  return Fields(element, [&](std::string_view key, Element value) {
    if (key == "name") return Text(value, volume.name);
    return UsageField(key, value, volume.usage);
  });
}

bool Walk::PodRef(Element element, PodStats& pod) {
  return Fields(element, [&](std::string_view key, Element value) {
    if (key == "name") return Text(value, pod.name);
    if (key == "namespace") return Text(value, pod.namespace_);
    if (key == "uid") return Text(value, pod.uid);
    return true;
  });
}

bool Walk::PodMemory(Element element, PodStats& pod) {
  if (element.is_null()) return true;
  pod.has_memory = true;
  return WorkingSet(element, pod.memory_working_set_bytes);
}

bool Walk::ProcessStats(Element element, std::optional<std::uint64_t>& count) {
  if (element.is_null()) return true;
  return Fields(element, [&](std::string_view key, Element value) {
    return key != "process_count" || Count(value, count);
  });
}

bool Walk::Pod(Element element, PodStats& pod) {
  return Fields(element, [&](std::string_view key, Element value) {
    if (key == "podRef") return PodRef(value, pod);
    if (key == "memory") return PodMemory(value, pod);
    if (key == "ephemeral-storage") return Usage(value, pod.ephemeral_storage);
    if (key == "process_stats") return ProcessStats(value, pod.process_count);
    if (key == "containers") {
      return Items(value, pod.containers,
                   [&](Element item, ContainerStats& into) { return Container(item, into); });
    }
    if (key == "volume") {
      return Items(value, pod.volumes,
                   [&](Element item, VolumeStats& into) { return Volume(item, into); });
    }
    return true;
  });
}

bool Walk::Root(Element element, Summary& summary) {
  bool has_pods = false;
  const bool ok = Fields(element, [&](std::string_view key, Element value) {
    if (key == "node") return Node(value, summary.node);
    if (key == "pods") {
      has_pods = true;
      return Items(value, summary.pods,
                   [&](Element item, PodStats& into) { return Pod(item, into); });
    }
    return true;
  });
  if (!has_pods) summary.pods.clear();
  return ok;
}

}  // namespace

Result<void> ReadSummary(simdjson::dom::element document, Summary& into) {
  into.node = {};
  Walk walk;
  if (!walk.Root(document, into)) return Fail(walk.TakeError());
  return {};
}

}  // namespace jettison
