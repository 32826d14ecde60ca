#pragma once

#include <concepts>
#include <type_traits>

#include "agent/kept/kept_state.h"

namespace jettison {

// The members of a kept state in its file, each under its name, listed once. `io` reads them or
// writes them (kept_state_text.cc): Time is an instant, Past one that cannot be to come, Delay a
// duration that is not below 0. What is optional is left out where it is absent; a list too.

template <typename T, typename Plain>
concept Like = std::same_as<std::remove_const_t<T>, Plain>;

void Fields(auto& io, Like<KeptCondition> auto& condition) {
  io.Name("type", condition.type, kAllNodeConditions, "a condition of a node");
  io.Truth("status", condition.status);
  io.Past("changed", condition.changed);
  io.Past("lastObserved", condition.last_observed);
}

void Fields(auto& io, Like<KeptThreshold> auto& threshold) {
  io.Text("threshold", threshold.text);
  io.Past("firstObserved", threshold.first_observed);
  io.Truth("overdue", threshold.overdue);
}

void Fields(auto& io, Like<KeptMark> auto& mark) {
  io.Past("at", mark.at);
  io.Shares("available", mark.available);
}

void Fields(auto& io, Like<KeptWait> auto& wait) {
  io.Texts("pods", wait.pods);
  io.Names("hardFor", wait.hard_for, kAllResources, "a list of resources");
  io.Time("deadline", wait.deadline);
}

void Fields(auto& io, Like<KeptRun> auto& run) {
  io.Text("container", run.container);
  io.Count("attempt", run.attempt);
  io.Delay("nextDelay", run.next_delay);
  io.Time("restart", run.restart_at);
}

void Fields(auto& io, Like<KeptEnding> auto& ending) {
  io.Text("reason", ending.reason);
  io.Text("message", ending.message);
  io.Truth("disruptionTarget", ending.disruption_target);
  io.Time("kill", ending.kill_at);
}

void Fields(auto& io, Like<KeptAbsence> auto& absence) {
  io.Text("reason", absence.reason);
  io.Text("message", absence.message);
  io.Time("comesBack", absence.comes_back_at);
}

void Fields(auto& io, Like<KeptPod> auto& pod) {
  io.Text("name", pod.name);
  io.Text("uid", pod.uid);
  io.Count("evictions", pod.evictions);
  io.Delay("nextDelay", pod.next_delay);
  io.Past("started", pod.started);
  io.Object("ending", pod.ending);
  io.Object("absence", pod.absence);
  io.Truth("endedWell", pod.ended_well);
  io.Objects("runs", pod.runs);
}

void Fields(auto& io, Like<SparedPod> auto& pod) {
  io.Text("uid", pod.uid);
  io.Text("why", pod.why);
  io.Time("until", pod.until);
}

}  // namespace jettison
