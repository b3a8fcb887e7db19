package io.volute.system.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.ServerProcess;
import io.volute.system.TemporaryStore;
import io.volute.system.VoluteCommand;
import io.volute.system.VoluteCommand.Said;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The audit log of a real server, killed once, verified with nothing but files. */
class AuditLogIT {
    private static final int FOUND_WRONG = 3;

    @TempDir private Path work;

    private static List<Path> files(Path audit) throws Exception {
        try (Stream<Path> all = Files.list(audit)) {
            return all.sorted().toList();
        }
    }

    private Said verify(Path audit, String root, String... more) throws Exception {
        List<String> arguments =
                Stream.concat(
                                Stream.of(
                                        "log",
                                        "verify",
                                        audit.toString(),
                                        "--keys",
                                        work.resolve("keys").toString(),
                                        "--root-key",
                                        root),
                                Stream.of(more))
                        .toList();
        return VoluteCommand.runAlone(arguments.toArray(new String[0]));
    }

    @Test
    void whatWasDoneIsThereAfterAKillAndWhatWasChangedIsSeen() throws Exception {
        try (TemporaryStore directory = TemporaryStore.create("audit-log")) {
            Path audit = directory.data().resolve("audit");
            String root;
            try (ServerProcess server = ServerProcess.start(directory)) {
                VoluteCommand.done(server, "user", "add", "ann");
                assertThat(VoluteCommand.run(server, "user", "add", "ann").code()).isEqualTo(1);
                server.kill();
            }
            assertThat(Files.readString(files(audit).getLast()))
                    .contains("\"operation\":\"AdminCreateUser\"", "EntityAlreadyExists");
            try (ServerProcess server = ServerProcess.start(directory)) {
                Said keys = VoluteCommand.run(server, "provenance", "keys", "--json");
                root = String.valueOf(((Map<?, ?>) keys.json().get("rootKey")).get("keyId"));
                VoluteCommand.done(
                        server, "provenance", "keys", "--output", work.resolve("keys").toString());
                VoluteCommand.done(server, "user", "remove", "ann", "--yes");
                assertThat(server.stop()).as(server.log()).isZero();
            }
            Said good = verify(audit, root, "--complete", "--json");
            assertThat(good.code()).as(good.text()).isZero();
            assertThat(good.json()).containsEntry("sealsVerified", true).containsEntry("first", 1L);
            String last = good.json().get("last") + ":" + good.json().get("lastHash");
            Path file = files(audit).getLast();
            String text = Files.readString(file);
            Files.writeString(file, text.replace("\"name\":\"ann\"", "\"name\":\"bob\""));
            Said changed = verify(audit, root);
            assertThat(changed.code()).isEqualTo(FOUND_WRONG);
            assertThat(changed.text()).contains(": changed: ", file.getFileName() + " line ");
            List<String> lines = text.lines().toList();
            String cut = String.join("\n", lines.subList(0, lines.size() - 2)) + "\n";
            Files.write(file, cut.getBytes(StandardCharsets.UTF_8));
            Said seen = VoluteCommand.runAlone("log", "verify", audit.toString(), "--seen", last);
            assertThat(seen.code()).isEqualTo(FOUND_WRONG);
            assertThat(seen.text()).contains(": removed: ", "was seen");
        }
    }
}
