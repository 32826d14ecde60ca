#include "model/signal.h"

namespace jettison {

std::string_view NameOf(Signal signal) {
  switch (signal) {
    case Signal::kMemoryAvailable: return "memory.available";
    case Signal::kAllocatableMemoryAvailable: return "allocatableMemory.available";
    case Signal::kNodeFsAvailable: return "nodefs.available";
    case Signal::kNodeFsInodesFree: return "nodefs.inodesFree";
    case Signal::kImageFsAvailable: return "imagefs.available";
    case Signal::kImageFsInodesFree: return "imagefs.inodesFree";
    case Signal::kContainerFsAvailable: return "containerfs.available";
    case Signal::kContainerFsInodesFree: return "containerfs.inodesFree";
    case Signal::kPidAvailable: return "pid.available";
  }
  __builtin_unreachable();
}

std::optional<Signal> SignalNamed(std::string_view name) {
  for (Signal signal : kAllSignals) {
    if (NameOf(signal) == name) return signal;
  }
  return std::nullopt;
}

std::string_view NameOf(Resource resource) {
  switch (resource) {
    case Resource::kMemory: return "memory";
    case Resource::kEphemeralStorage: return "ephemeral-storage";
    case Resource::kInodes: return "inodes";
    case Resource::kPids: return "pids";
  }
  __builtin_unreachable();
}

Resource ResourceOf(Signal signal) {
  switch (signal) {
    case Signal::kMemoryAvailable:
    case Signal::kAllocatableMemoryAvailable: return Resource::kMemory;
    case Signal::kNodeFsAvailable:
    case Signal::kImageFsAvailable:
    case Signal::kContainerFsAvailable: return Resource::kEphemeralStorage;
    case Signal::kNodeFsInodesFree:
    case Signal::kImageFsInodesFree:
    case Signal::kContainerFsInodesFree: return Resource::kInodes;
    case Signal::kPidAvailable: return Resource::kPids;
  }
  __builtin_unreachable();
}

std::string_view NameOf(NodeConditionType type) {
  switch (type) {
    case NodeConditionType::kMemoryPressure: return "MemoryPressure";
    case NodeConditionType::kDiskPressure: return "DiskPressure";
    case NodeConditionType::kPidPressure: return "PIDPressure";
  }
  __builtin_unreachable();
}

NodeConditionType ConditionOf(Signal signal) {
  switch (ResourceOf(signal)) {
    case Resource::kMemory: return NodeConditionType::kMemoryPressure;
    case Resource::kEphemeralStorage:
    case Resource::kInodes: return NodeConditionType::kDiskPressure;
    case Resource::kPids: return NodeConditionType::kPidPressure;
  }
  __builtin_unreachable();
}

}  // namespace jettison
