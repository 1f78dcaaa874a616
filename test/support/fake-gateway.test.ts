import { FakeService } from "./fake-gateway.js";
import { testGatewayContract } from "./gateway-contract.js";

testGatewayContract("the fake", { refundsLostFiles: true }, async ({ refundsFailedJobs }) => {
  const service = new FakeService({ refundsFailedJobs });
  return {
    async open(userId, kopecks = 0) {
      const gateway = service.gateway(userId);
      gateway.add(kopecks);
      return gateway;
    },
    finish: async (_gateway, id) => service.finish(id),
    fail: async (_gateway, id) => service.fail(id),
    loseFiles: async (id) => service.loseFiles(id),
    close: async () => {},
  };
});
