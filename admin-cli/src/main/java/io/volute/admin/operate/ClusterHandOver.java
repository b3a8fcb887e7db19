package io.volute.admin.operate;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.AdminClient.RefusedException;
import io.volute.admin.client.Answer;
import io.volute.admin.client.ServerOptions;
import io.volute.adminapi.ClusterApi.Cluster;
import io.volute.adminapi.ClusterApi.HandOver;
import io.volute.adminapi.Routes;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** Waits until another node has the store. */
final class ClusterHandOver {
    private static final Duration WAIT_MAX = Duration.ofMinutes(5);
    private static final long POLL_MILLIS = 250;

    private ClusterHandOver() {}

    /**
     * Waits for the end of a hand-over, and prints the next owner. Returns its name.
     *
     * @throws IOException when no other node has the store in time
     */
    static String await(ServerOptions server, AdminClient client, HandOver order)
            throws IOException, InterruptedException {
        Instant limit = server.context().clock().instant().plus(WAIT_MAX);
        while (true) {
            try {
                Answer<Cluster> answer = client.ask(Routes.CLUSTER);
                String owner = answer.value().owner();
                if (!owner.equals(order.owner())) {
                    server.done(answer, "node " + owner + " has the store");
                    return owner;
                }
            } catch (RefusedException e) {
                if (!e.isOf("ServiceUnavailable")) {
                    throw e;
                }
            }
            if (server.context().clock().instant().isAfter(limit)) {
                throw new IOException(
                        "node "
                                + order.owner()
                                + " was ordered to hand the store over, and no other node has"
                                + " it yet: see volute cluster status and the logs of the nodes");
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
    }
}
