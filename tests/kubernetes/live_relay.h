#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <thread>

#include "ports/file_descriptor.h"

namespace jettison::kube {

// Carries bytes between a port of its own on this machine and another one, as a load balancer does.
class LiveRelay {
 public:
  explicit LiveRelay(std::uint16_t to);
  LiveRelay(const LiveRelay&) = delete;
  LiveRelay& operator=(const LiveRelay&) = delete;
  ~LiveRelay();

  [[nodiscard]] std::uint16_t port() const { return port_; }
  // Existing connections carry nothing any more, without being closed. New connections work.
  void GoSilent() { silent_ = connections_.load(); }

 private:
  struct Pair {
    FileDescriptor client;
    FileDescriptor server;
    std::uint64_t number = 0;
  };

  void Run();
  void Accept();
  // Whether both sides are still there.
  [[nodiscard]] bool Carry(const Pair& pair) const;

  std::uint16_t to_;
  std::uint16_t port_ = 0;
  FileDescriptor listener_;
  std::list<Pair> pairs_;                       // of the thread
  std::atomic<std::uint64_t> connections_ = 0;  // ever
  std::atomic<std::uint64_t> silent_ = 0;       // those up to this number
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

}  // namespace jettison::kube
