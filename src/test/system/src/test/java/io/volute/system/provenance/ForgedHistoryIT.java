package io.volute.system.provenance;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Clients;
import io.volute.system.ServerProcess;
import io.volute.system.Store;
import io.volute.system.TemporaryStore;
import io.volute.system.VoluteCommand;
import io.volute.system.VoluteCommand.Said;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.s3.S3Client;

/** The steps of docs/guide/forged-history.md, against the real server. */
class ForgedHistoryIT {
    private static final int FOUND_WRONG = 3;

    @TempDir private Path auditor;

    private static void put(S3Client s3, String key, String body) {
        Store.put(s3, key, body, "x-volute-actor", "cashier");
    }

    @Test
    void theAuditorsReportNamesWhatTheAdministratorDid() throws Exception {
        try (TemporaryStore directory = TemporaryStore.create("forged")) {
            ServerProcess.Options options = ServerProcess.Options.of(directory.data());
            String root;
            try (ServerProcess server = ServerProcess.start(options);
                    S3Client s3 = Clients.once(server.endpoint())) {
                s3.createBucket(create -> create.bucket("bucket"));
                put(s3, "ledger/1", "paid 100");
                put(s3, "ledger/1", "paid 200");
                put(s3, "ledger/1", "paid 300");
                put(s3, "ledger/2", "paid 400");
                put(s3, "ledger/3", "paid 500");
                put(s3, "ledger/4", "paid 600");
                put(s3, "ledger/4", "paid 700");
                assertThat(VoluteCommand.done(server, "audit", "--all", "--contents"))
                        .contains("0 findings");
                root =
                        ((Map<?, ?>)
                                        VoluteCommand.json(server, "provenance", "keys")
                                                .get("rootKey"))
                                .get("keyId")
                                .toString();
                Object number =
                        VoluteCommand.json(
                                        server,
                                        "provenance",
                                        "checkpoint",
                                        "--output",
                                        auditor.toString())
                                .get("number");
                assertThat(auditor.resolve("heads-" + number)).exists();
                assertThat(server.stop()).as(server.log()).isZero();
            }
            try (DiskAccess administrator = new DiskAccess(directory.data())) {
                administrator.editEntry("ledger/1", 0, "cashier", "nobody1");
                administrator.removeEntry("ledger/1", 1);
                administrator.exchangeContent("ledger/2", "ledger/3");
                administrator.hide("ledger/3", 1);
                administrator.removeEntry("ledger/4", 1);
            }
            try (ServerProcess server = ServerProcess.start(options)) {
                Said found = VoluteCommand.run(server, "audit", "--all", "--contents");
                assertThat(found.code()).as(found.text()).isEqualTo(FOUND_WRONG);
                assertThat(found.text())
                        .contains("bucket/ledger/1 entry 0: I2 broken")
                        .contains("bucket/ledger/1 entry 1: I1 broken, entries were taken out")
                        .contains("bucket/ledger/2 entry 0: I7 broken")
                        .contains("I1 broken, the chains differ from a checkpoint");
                VoluteCommand.done(
                        server,
                        "provenance",
                        "export",
                        "--all",
                        "--output",
                        auditor.resolve("export").toString());
                assertThat(server.stop()).isZero();
            }
            theAuditorAlone(root);
        }
    }

    /** Audits with earlier output of the server and its export now, but without the server. */
    private void theAuditorAlone(String root) throws Exception {
        List<Path> kept;
        try (Stream<Path> files = Files.list(auditor)) {
            // checkpoint-N, export, heads-N, keys
            kept = files.sorted().toList();
        }
        Said found =
                VoluteCommand.runAlone(
                        "audit",
                        "--export",
                        auditor.resolve("export").toString(),
                        "--keys",
                        auditor.resolve("keys").toString(),
                        "--root-key",
                        root,
                        "--checkpoint",
                        kept.get(0).toString(),
                        "--heads",
                        kept.get(2).toString(),
                        "--all",
                        "--complete");
        assertThat(found.code()).as(found.text()).isEqualTo(FOUND_WRONG);
        assertThat(found.text())
                .contains("bucket/ledger/1 entry 0: I2 broken")
                .contains("bucket/ledger/1 entry 1: I1 broken, entries were taken out")
                .contains("bucket/ledger/4 entry 1: I1 broken")
                .doesNotContain("bucket/ledger/2 ");
        // Of a chain that is hidden there is nothing but its id.
        assertThat(found.text()).containsPattern("[0-9a-f]{64} entry 0: I1 broken");
    }
}
