#include "launch/clusters/remote_cluster.h"

#include <utility>

#include "rpc/client.h"

namespace dl::launch {
namespace {

class RemoteCluster final : public Cluster {
 public:
  explicit RemoteCluster(std::unique_ptr<rpc::Client> client) : client_(std::move(client)) {}
  Status StartExecutors(const KernelChoice&) override { return absl::OkStatus(); }
  rpc::ClientService& client() override { return *client_; }
  std::string owner() const override { return client_->owner(); }
  Status Health() override {
    return absl::OkStatus();
  }  // the master may return; the caller decides how long to wait

 private:
  std::unique_ptr<rpc::Client> client_;
};

}  // namespace

StatusOr<std::unique_ptr<Cluster>> ConnectRemote(const ClusterOptions& options) {
  DL_ASSIGN_OR_RETURN(
      std::unique_ptr<rpc::Client> client,
      ConnectAs(options.credentials, {options.target.host(), options.target.port()}));
  return std::make_unique<RemoteCluster>(std::move(client));
}

}  // namespace dl::launch
