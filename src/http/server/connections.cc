#include "http/server/connections.h"

#include <algorithm>
#include <utility>

namespace jettison::http {

Connection& Connections::Add(Connection connection, SteadyTime now) {
  connection.since = now;
  connection.phase = Phase::kReceiving;
  connection.deadline = now + limits_.request;
  auto& place = all_[connection.descriptor];
  place = std::make_unique<Connection>(std::move(connection));
  return *place;
}

Connection* Connections::Find(int descriptor) const {
  const auto found = all_.find(descriptor);
  return found == all_.end() ? nullptr : found->second.get();
}

std::size_t Connections::streams() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(all_, [](const auto& entry) { return entry.second->has_stream; }));
}

Connection* Connections::OldestIncomplete() const {
  Connection* oldest = nullptr;
  for (const auto& [descriptor, connection] : all_) {
    if (connection->is_cut) continue;
    if (connection->phase != Phase::kReceiving && connection->phase != Phase::kIdle) continue;
    if (oldest == nullptr || connection->since < oldest->since) oldest = connection.get();
  }
  return oldest;
}

std::optional<SteadyTime> Connections::NextDeadline() const {
  std::optional<SteadyTime> next;
  for (const auto& [descriptor, connection] : all_) {
    if (connection->phase == Phase::kWaiting) continue;
    if (!next || connection->deadline < *next) next = connection->deadline;
  }
  return next;
}

std::vector<Connection*> Connections::Overdue(SteadyTime now) const {
  std::vector<Connection*> overdue;
  for (const auto& [descriptor, connection] : all_) {
    if (connection->phase != Phase::kWaiting && connection->deadline <= now) {
      overdue.push_back(connection.get());
    }
  }
  return overdue;
}

std::vector<Connection*> Connections::All() const {
  std::vector<Connection*> all;
  all.reserve(all_.size());
  for (const auto& [descriptor, connection] : all_) all.push_back(connection.get());
  return all;
}

void Connections::RequestBegan(Connection& connection, SteadyTime now) const {
  if (connection.phase != Phase::kIdle) return;  // counted from when it came
  connection.phase = Phase::kReceiving;
  connection.deadline = now + limits_.request;
}

void Connections::Answering(Connection& connection, SteadyTime now) const {
  connection.phase = Phase::kAnswering;
  connection.deadline = now + limits_.answer;
}

void Connections::Waiting(Connection& connection) {
  connection.phase = Phase::kWaiting;
}

void Connections::Answered(Connection& connection, SteadyTime now) const {
  connection.phase = Phase::kIdle;
  connection.has_stream = false;
  connection.handle = nullptr;
  connection.exchange = {};
  connection.since = now;
  connection.deadline = now + limits_.idle;
}

}  // namespace jettison::http
