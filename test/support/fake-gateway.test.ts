import { FakeService } from "./fake-gateway.js";
import { testGatewayContract } from "./gateway-contract.js";
import type { GatewayTraits } from "./gateway-subject.js";

const LIKE_EMBEDDED = { knowsRefund: true, refundsLostFiles: true };
const LIKE_REMOTE = { knowsRefund: false, refundsLostFiles: false };

function testFake(name: string, traits: GatewayTraits): void {
  testGatewayContract(name, traits, async ({ refundsFailedJobs }) => {
    const service = new FakeService({ ...traits, refundsFailedJobs });
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
}

testFake("the fake", LIKE_EMBEDDED);
testFake("the fake of a service that knows less", LIKE_REMOTE);
