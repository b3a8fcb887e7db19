package io.volute.distribution.backup;

import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.AnswerFormat;
import io.volute.server.backup.Manifest;
import io.volute.server.backup.Repository;
import io.volute.server.backup.Verification;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Verifies snapshots with nothing but the target. */
@Example(value = "volute backup verify --from /mnt/backup", does = "Verify the newest snapshot.")
@Example(value = "volute backup verify --from /mnt/backup --all", does = "Verify all of them.")
@Command(
        name = "verify",
        mixinStandardHelpOptions = true,
        description = {
            "Reads a snapshot and verifies all hashes: that every byte of every file is there.",
            "To verify the signed history in it, restore it, start a server and run volute audit."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:whole",
            "1:the target cannot be read",
            "2:wrong usage",
            "3:something is missing or damaged"
        })
final class BackupVerifyCommand implements Callable<Integer> {
    @Mixin private TargetOptions target;

    @Option(
            names = "--snapshot",
            paramLabel = "NAME",
            description = "The snapshot (default: the newest).")
    private Optional<String> snapshot = Optional.empty();

    @Option(names = "--all", description = "Verify all snapshots.")
    private boolean isAll;

    @Override
    public Integer call() throws InterruptedException {
        return target.run(this::verify);
    }

    private int verify(Repository repository) throws IOException {
        List<String> names =
                isAll
                        ? repository.snapshots()
                        : List.of(TargetOptions.chosen(repository, snapshot));
        Map<String, List<String>> found = new LinkedHashMap<>();
        for (String name : names) {
            Manifest manifest = repository.snapshot(name);
            List<String> problems =
                    new Verification(repository, target.watch("verifying")).run(manifest);
            found.put(name, problems);
            if (!target.isJson()) {
                problems.forEach(each -> target.out().println(name + ": " + each));
                target.out()
                        .println(
                                name
                                        + ": "
                                        + (problems.isEmpty() ? "whole" : "not whole")
                                        + ", "
                                        + manifest.files().size()
                                        + " files, "
                                        + AnswerFormat.bytes(manifest.bytes()));
                target.out().flush();
            }
        }
        if (target.isJson()) {
            List<Map<String, Object>> all = new ArrayList<>();
            found.forEach(
                    (name, problems) -> all.add(Map.of("snapshot", name, "problems", problems)));
            target.print(Map.of("snapshots", all));
        }
        boolean isWhole = found.values().stream().allMatch(List::isEmpty);
        return isWhole ? ServerOptions.OK : ServerOptions.FOUND_WRONG;
    }
}
