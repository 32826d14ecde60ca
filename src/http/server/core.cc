#include "http/server/core.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <utility>

#include "ports/system_error.h"

namespace jettison {

using http::Connection;
using std::chrono::steady_clock;

namespace {

constexpr auto kBetweenLooksAtSocket = std::chrono::minutes(1);

}  // namespace

Result<std::unique_ptr<HttpServer::Core>> HttpServer::Core::Start(http::Parts parts) {
  auto poller = http::Poller::Create();
  if (!poller) return Fail(poller.error());
  FileDescriptor wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake) return FailErrno("make an event loop");
  std::unique_ptr<Core> core(new Core(std::move(parts), std::move(*poller), std::move(wake)));
  if (auto started = core->StartClients(); !started) return Fail(started.error());
  return core;
}

HttpServer::Core::Core(http::Parts parts, http::Poller poller, FileDescriptor wake)
    : parts_(std::move(parts)),
      port_(parts_.tcp_socket ? http::PortOf(parts_.tcp_socket) : std::uint16_t{0}),
      held_(parts_.limits),
      connections_(parts_.limits),
      poller_(std::move(poller)),
      wake_(std::move(wake)),
      streams_(connections_, held_.all, poller_),
      responder_(parts_.limits, parts_.service, connections_, held_, streams_) {}

Result<void> HttpServer::Core::StartClients() {
  auto clients = http::Clients::Start({.limits = parts_.limits,
                                       .error_answer = parts_.service.error_answer,
                                       .connections = connections_,
                                       .held = held_,
                                       .streams = streams_,
                                       .events = responder_},
                                      parts_.tls);
  if (!clients) return Fail(clients.error());
  clients_ = std::move(*clients);
  const auto [plain, tls] = clients_->descriptors();
  for (const int descriptor : {wake_.get(), plain, tls}) {
    if (descriptor < 0) continue;
    if (auto watched = poller_.Watch(descriptor, EPOLLIN); !watched) return watched;
  }
  listeners_.emplace(parts_.unix_socket.get(), parts_.tcp_socket.get(), connections_, *clients_,
                     poller_);
  return listeners_->Watch();
}

void HttpServer::Core::Wake() {
  ::eventfd_write(wake_.get(), 1);
}

void HttpServer::Core::Stop() {
  stop_ = true;
  Wake();
}

void HttpServer::Core::WakeStreams() {
  if (streams_.NoteWake()) Wake();
}

void HttpServer::Core::Serve() {
  while (!stop_) {
    WaitForEvents();
    AskStreams();
    TakeCredentials();
    clients_->Run();
    clients_->CutOverdue();
    listeners_->GoOn();
    LookAfterSocket();
  }
  stop_ = false;
}

void HttpServer::Core::AskStreams() {
  const bool is_due = parts_.ask_streams_every > Duration{0} && streams_.AnyRests() &&
                      steady_clock::now() >= next_ask_;
  if (!is_due && !streams_.MissedWake()) return;
  next_ask_ = steady_clock::now() + parts_.ask_streams_every;
  streams_.Resume();
}

int HttpServer::Core::MillisecondsToWait() const {
  if (clients_->HaveWork() || streams_.MissedWake()) return 0;
  auto next = connections_.NextDeadline();
  if (!parts_.socket_path.empty()) next = next ? std::min(*next, next_look_) : next_look_;
  if (parts_.ask_streams_every > Duration{0} && streams_.AnyRests()) {
    next = next ? std::min(*next, next_ask_) : next_ask_;
  }
  if (const auto pause = listeners_->pause()) next = next ? std::min(*next, *pause) : *pause;
  if (!next) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 3'600'000));
}

void HttpServer::Core::WaitForEvents() {
  const auto ready = poller_.Wait(MillisecondsToWait());
  // New clients last: the descriptor of one that goes may become theirs.
  for (const bool is_for_new : {false, true}) {
    for (const int descriptor : ready) {
      if (listeners_->Has(descriptor) == is_for_new) OnEvent(descriptor);
    }
  }
}

void HttpServer::Core::OnEvent(int descriptor) {
  if (descriptor == wake_.get()) {
    eventfd_t ignored = 0;
    ::eventfd_read(wake_.get(), &ignored);
    streams_.Resume();
  } else if (listeners_->Has(descriptor)) {
    listeners_->Accept(descriptor);
  } else if (Connection* connection = connections_.Find(descriptor)) {
    clients_->Cut(*connection);  // only streams' sockets are watched, for the client to go
  }
}

Result<void> HttpServer::Core::ReadCredentials(const HttpServerOptions& options) {
  auto read = http::ReadCredentials(options, parts_.tls.has_value());
  if (!read) return Fail(read.error());
  if ((*read)->tls) {
    if (auto prepared = clients_->PrepareTls(**read); !prepared) return prepared;
    const int descriptor = (*read)->daemon->descriptor();
    if (auto watched = poller_.Watch(descriptor, EPOLLIN); !watched) return watched;
  }
  next_credentials_.Put(std::move(*read));
  return {};
}

void HttpServer::Core::UseCredentials() {
  next_credentials_.Want();
  Wake();
}

void HttpServer::Core::TakeCredentials() {
  auto fresh = next_credentials_.Take();
  if (!fresh) return;
  next_look_ = {};
  if (fresh->token) parts_.service.access.SetToken(*std::move(fresh->token));
  if (fresh->daemon) clients_->UseTls(std::move(fresh));
}

// Somebody may have emptied its folder.
void HttpServer::Core::LookAfterSocket() {
  if (parts_.socket_path.empty() || steady_clock::now() < next_look_) return;
  next_look_ = steady_clock::now() + kBetweenLooksAtSocket;
  if (parts_.unix_socket.IsThere()) return;
  const auto made = MakeSocketAnew();
  if (parts_.on_socket && (made || !is_missing_)) parts_.on_socket(made);
  is_missing_ = !made;
}

Result<void> HttpServer::Core::MakeSocketAnew() {
  auto file = http::SocketFile::Listen(parts_.socket_path, parts_.socket_group);
  if (!file) return Fail(file.error());
  if (auto watched = listeners_->ReplaceUnix(file->get()); !watched) return watched;
  parts_.unix_socket = std::move(*file);
  return {};
}

}  // namespace jettison
