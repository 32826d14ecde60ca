#include "agent/passes/reading/pass_pods.h"

namespace jettison {
namespace {

// Hardly any pod has more containers.
constexpr std::size_t kSpareContainers = 16;
// A name of a container is the label of a domain name.
constexpr std::size_t kLongestName = 63;

}  // namespace

PassPods::PassPods(Figures& figures, Summary& summary)
    : figures_(figures), summary_(summary), contenders_(figures) {
  FillSpare();
}

void PassPods::FillSpare() {
  if (spare_.size() >= kSpareContainers) return;
  spare_.resize(kSpareContainers);
  for (ContainerStats& container : spare_) container.name.reserve(kLongestName);
}

void PassPods::Begin(const Pods& pods) {
  contenders_.ForgetOthers();
  pods_.assign(pods.begin(), pods.end());
}

void PassPods::Keep(const Pods& pods) {
  contenders_.Keep(pods);
  pods_.reserve(pods.size());
  joined_.reserve(pods.size());
  FillSpare();
}

void PassPods::ReadFor(const ReadingPlan& plan) {
  shelf_.PutAway(summary_.pods);
  for (const ReadStep& step : plan.pods) {
    if (step.pods != PodsToRead::kFirstVictim) Read(step);
  }
}

void PassPods::ReadContenders(Resource resource) {
  shelf_.TakeOut(summary_.pods);
  contenders_.Read(resource, pods_, summary_.pods);
}

// The figures of all pods are read, those of contenders included.
void PassPods::Read(const ReadStep& step) {
  switch (step.figures) {
    case PodFigures::kMemory:
      if (step.pods == PodsToRead::kContenders) {
        // The search finds the victim, and the others count for the sum.
        ReadContenders(Resource::kMemory);
        return ReadOthers();
      }
      shelf_.TakeOut(summary_.pods);
      figures_.ReadMemoryOf(pods_, summary_.pods);
      return contenders_.Take(pods_, summary_.pods);
    case PodFigures::kTasks:
    case PodFigures::kContainers:
    case PodFigures::kAll: return ReadAll(nullptr);
  }
  __builtin_unreachable();
}

void PassPods::ReadAll(const DiskUse* disk, Reading reading) {
  contenders_.ForgetOthers();
  shelf_.TakeOut(summary_.pods);
  switch (reading) {
    case Reading::kAsOfNow: figures_.ReadPods(pods_, disk, summary_.pods); break;
    case Reading::kAtRest: figures_.ReadPodsAtRest(pods_, disk, summary_.pods); break;
  }
  contenders_.Take(pods_, summary_.pods);
}

void PassPods::ReadVictim(const ReadingPlan& plan, std::size_t victim) {
  for (const ReadStep& step : plan.pods) {
    if (step.pods != PodsToRead::kFirstVictim) continue;
    PodStats& stats = summary_.pods[victim];
    if (stats.containers.empty()) stats.containers.swap(spare_);
    figures_.ReadContainersOf(*joined_[victim].facts, stats);
  }
}

}  // namespace jettison
