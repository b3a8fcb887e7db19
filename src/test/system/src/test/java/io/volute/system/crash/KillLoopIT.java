package io.volute.system.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Bytes;
import io.volute.system.Clients;
import io.volute.system.ServerProcess;
import io.volute.system.Store;
import io.volute.system.TemporaryStore;
import io.volute.testkit.ledger.ClientLedger;
import io.volute.testkit.ledger.Digests;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * SIGKILL under load, start, and compare with the clients' ledger: what was acknowledged is there,
 * what was not is there wholly or not at all, and listings agree with reads. {@code
 * -Dvolute.kills=200} is the full run; {@code -Dvolute.seed} takes a seed back.
 */
class KillLoopIT {
    private static final int CLIENTS = 12;

    private static void makeBuckets(Store store) {
        store.create(KillLoad.PLAIN);
        store.createVersioned(KillLoad.VERSIONED);
    }

    @Test
    void nothingAcknowledgedIsLostAndNothingIsPartial() throws Exception {
        long seed = Long.getLong("volute.seed", 1);
        SplittableRandom random = new SplittableRandom(seed);
        try (TemporaryStore directory = TemporaryStore.create("kill");
                ClientLedger ledger = ClientLedger.inMemory()) {
            ServerProcess.Options options = ServerProcess.Options.of(directory.data()).underLoad();
            KillAudit audit = new KillAudit(ledger);
            Kills kills = new Kills(Integer.getInteger("volute.kills", 10));
            ServerProcess server = ServerProcess.start(options);
            try {
                try (S3Client s3 = Clients.sync(server.endpoint())) {
                    makeBuckets(new Store(server.endpoint(), s3));
                }
                while (!kills.areEnough()) {
                    load(ledger, server, kills.done(), random);
                    ledger.serverDied();
                    kills.add(options, random);
                    server = ServerProcess.start(options);
                    try (S3Client s3 = Clients.sync(server.endpoint())) {
                        audit.currentStates(s3, random);
                        if (kills.done() % 10 == 0 || kills.areEnough()) {
                            audit.allVersions(s3);
                        }
                    }
                    assertThat(audit.findings())
                            .as("seed %s, kill %s", seed, kills.done())
                            .isEmpty();
                }
                server = recoversTheSameTwice(options, server, audit, random);
                Kills.requireHistory(server);
                assertThat(server.stop()).isZero();
            } finally {
                server.close();
                System.out.printf(
                        "kill loop: seed %d, kills %d, acknowledged %d, unknown %d, %s%n",
                        seed,
                        kills.done(),
                        ledger.acknowledged(),
                        ledger.unknown(),
                        audit.counts());
            }
        }
    }

    private static void load(
            ClientLedger ledger, ServerProcess server, int round, SplittableRandom random)
            throws InterruptedException {
        try (S3Client s3 = Clients.once(server.endpoint())) {
            KillLoad load = new KillLoad(ledger, s3, round, 30 + random.nextInt(400), server::kill);
            Kills.requireNoFaults(load.run(CLIENTS, random.nextLong()), server);
        }
    }

    /** A write of unknown outcome that recovery showed must not be gone after the next crash. */
    private static ServerProcess recoversTheSameTwice(
            ServerProcess.Options options,
            ServerProcess server,
            KillAudit audit,
            SplittableRandom random)
            throws IOException {
        Map<String, String> before = audit.states();
        server.kill();
        ServerProcess again = ServerProcess.start(options);
        try (S3Client s3 = Clients.sync(again.endpoint())) {
            audit.currentStates(s3, random);
        }
        assertThat(audit.states()).isEqualTo(before);
        assertThat(audit.findings()).isEmpty();
        return again;
    }

    /** The canary: the machine above must see what it is there to see. */
    @Test
    void theAuditFindsPlantedFaults() throws IOException {
        try (TemporaryStore directory = TemporaryStore.create("canary");
                ClientLedger ledger = ClientLedger.inMemory();
                ServerProcess server = ServerProcess.start(directory);
                S3Client s3 = Clients.sync(server.endpoint())) {
            makeBuckets(new Store(server.endpoint(), s3));
            SplittableRandom random = new SplittableRandom(1);
            for (String name : List.of("plain/good", "plain/lost", "plain/torn", "versioned/v")) {
                write(ledger, s3, name, Bytes.random(name.hashCode(), 50_000));
            }
            String first =
                    s3.listObjectVersions(list -> list.bucket(KillLoad.VERSIONED))
                            .versions()
                            .getFirst()
                            .versionId();
            write(ledger, s3, "versioned/v", Bytes.random(5, 5));
            byte[] deleted = Bytes.random(6, 6);
            write(ledger, s3, "plain/back", deleted);
            long ticket = ledger.intend("canary", "plain/back", Optional.empty());
            s3.deleteObject(delete -> delete.bucket(KillLoad.PLAIN).key("back"));
            ledger.acknowledge(ticket);
            KillAudit honest = new KillAudit(ledger);
            honest.currentStates(s3, random);
            honest.allVersions(s3);
            assertThat(honest.findings()).isEmpty();

            s3.deleteObject(delete -> delete.bucket(KillLoad.PLAIN).key("lost"));
            s3.putObject(
                    put -> put.bucket(KillLoad.PLAIN).key("back"), RequestBody.fromBytes(deleted));
            s3.putObject(
                    put -> put.bucket(KillLoad.PLAIN).key("torn"),
                    RequestBody.fromBytes(
                            Arrays.copyOf(Bytes.random("plain/torn".hashCode(), 50_000), 49_999)));
            s3.deleteObject(delete -> delete.bucket(KillLoad.VERSIONED).key("v").versionId(first));
            s3.putObject(
                    put -> put.bucket(KillLoad.PLAIN).key("nobody-wrote-this"),
                    RequestBody.fromString("x"));
            KillAudit audit = new KillAudit(ledger);
            audit.currentStates(s3, random);
            audit.allVersions(s3);
            assertThat(audit.lost()).as("%s", audit.findings()).isEqualTo(2);
            assertThat(audit.resurrected()).isEqualTo(1);
            assertThat(audit.partial()).isEqualTo(1);
            assertThat(audit.unreadableListings()).isEqualTo(1);
        }
    }

    private static void write(ClientLedger ledger, S3Client s3, String name, byte[] body) {
        long ticket = ledger.intend("canary", name, Optional.of(Digests.of(body)));
        s3.putObject(
                put ->
                        put.bucket(name.substring(0, name.indexOf('/')))
                                .key(name.substring(name.indexOf('/') + 1)),
                RequestBody.fromBytes(body));
        ledger.acknowledge(ticket);
    }
}
