#include "cli/demo/demo_interruption.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>

namespace jettison {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM};

// A signal handler can reach nothing else. Both are lock-free, and Agent::Stop may be called from a
// handler.
std::atomic<int> first_signal = 0;
std::atomic<Agent*> stopped_agent = nullptr;
std::array<struct sigaction, kSignals.size()> former_actions;

void HandleSignal(int signal) {
  int none = 0;
  if (signal != SIGALRM) first_signal.compare_exchange_strong(none, signal);
  if (Agent* agent = stopped_agent.load()) agent->Stop();
}

}  // namespace

DemoInterruption::DemoInterruption() {
  first_signal = 0;
  // A handler and not SIG_IGN: programs started from here would inherit that.
  struct sigaction action {};
  action.sa_handler = HandleSignal;
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &action, &former_actions[i]);
    if (former_actions[i].sa_handler == SIG_IGN) {
      ::sigaction(kSignals[i], &former_actions[i], nullptr);
    }
  }
}

DemoInterruption::~DemoInterruption() {
  ::alarm(0);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &former_actions[i], nullptr);
  }
}

void DemoInterruption::Stops(Agent* agent, unsigned limit_seconds) {
  stopped_agent = agent;
  ::alarm(limit_seconds);
  if (agent != nullptr && first_signal != 0) agent->Stop();
}

std::optional<int> DemoInterruption::Signal() const {
  const int signal = first_signal;
  return signal == 0 ? std::nullopt : std::optional(signal);
}

}  // namespace jettison
