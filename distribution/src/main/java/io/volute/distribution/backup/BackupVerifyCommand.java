package io.volute.distribution.backup;

import io.volute.admin.client.CommandContext;
import io.volute.admin.client.Printing;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.AnswerFormat;
import io.volute.server.backup.Manifest;
import io.volute.server.backup.Repository;
import io.volute.server.backup.Verification;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Verifies snapshots with nothing but the target. */
@Example(value = "volute backup verify --from /mnt/backup", does = "Verify the newest snapshot.")
@Example(value = "volute backup verify --from /mnt/backup --all", does = "Verify all of them.")
@Example(
        value = "volute backup verify --from /mnt/backup --contents --keys /mnt/keys",
        does = "Read every version in the newest snapshot.")
@Command(
        name = "verify",
        mixinStandardHelpOptions = true,
        description = {
            "Reads a snapshot and verifies all hashes: that every byte of every file is there.",
            "With --contents, reads every version, kept state and part in it as well, and names"
                    + " those whose content is damaged. This restores the snapshot to a temporary"
                    + " directory.",
            "To verify the signed history in it, restore it, start a server and run volute audit."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:whole; with --contents, every content was verified",
            "1:the target cannot be read, or the temporary directory has no room",
            "2:wrong usage",
            "3:something is missing or damaged",
            "5:nothing is damaged, and some contents could not be verified"
        })
final class BackupVerifyCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private TargetOptions target;

    @Option(
            names = "--snapshot",
            paramLabel = "NAME",
            description = "The snapshot (default: the newest).")
    private Optional<String> snapshot = Optional.empty();

    @Option(names = "--all", description = "Verify all snapshots.")
    private boolean isAll;

    @Option(
            names = "--contents",
            description =
                    "Verify every content by its content hash or MD5, or by decryption, not only"
                            + " the files.")
    private boolean isOfContents;

    @Option(
            names = "--scratch",
            paramLabel = "DIR",
            description =
                    "With --contents: directory with room for the whole snapshot (default: TMPDIR,"
                            + " else /var/tmp).")
    private Optional<Path> scratch = Optional.empty();

    @Option(
            names = "--keys",
            paramLabel = "DIR",
            description =
                    "With --contents: directory with your copies of the private files that are not"
                            + " in the snapshot. They open encrypted contents without a content"
                            + " hash.")
    private Optional<Path> keys = Optional.empty();

    @Override
    public Integer call() throws InterruptedException {
        if (!isOfContents && (scratch.isPresent() || keys.isPresent())) {
            throw new ParameterException(
                    spec.commandLine(), "--scratch and --keys go with --contents");
        }
        return target.run(this::verify);
    }

    private int verify(Repository repository) throws IOException {
        List<String> all = repository.snapshots();
        List<String> names = isAll ? all : List.of(TargetOptions.chosen(repository, snapshot));
        List<Map<String, Object>> documents = new ArrayList<>();
        boolean isDamaged = false;
        boolean isUnproven = false;
        for (String name : names) {
            Manifest manifest;
            try {
                manifest = repository.snapshot(name);
            } catch (IOException e) {
                if (!all.contains(name)) {
                    throw e;
                }
                documents.add(Map.of("snapshot", name, "problems", List.of(e.getMessage())));
                say(name, e.getMessage());
                isDamaged = true;
                continue;
            }
            if (isOfContents) {
                ContentsRun.Result result = contents(repository, manifest);
                documents.add(result.document());
                isDamaged |= result.isDamaged();
                isUnproven |= result.isUnproven();
            } else {
                List<String> problems = files(repository, manifest);
                documents.add(Map.of("snapshot", name, "problems", problems));
                isDamaged |= !problems.isEmpty();
            }
        }
        if (target.isJson()) {
            target.print(Map.of("snapshots", documents));
        }
        if (isDamaged) {
            return ServerOptions.FOUND_WRONG;
        }
        return isUnproven ? ServerOptions.NOT_COMPARED : ServerOptions.OK;
    }

    private ContentsRun.Result contents(Repository repository, Manifest manifest)
            throws IOException {
        CommandContext context = CommandContext.of(spec);
        return new ContentsRun(target, context, new Printing(spec), manifest.name())
                .run(repository, manifest, Scratch.place(scratch, context.environment()), keys);
    }

    private List<String> files(Repository repository, Manifest manifest) throws IOException {
        List<String> problems =
                new Verification(repository, target.watch("verifying")).run(manifest);
        problems.forEach(each -> say(manifest.name(), each));
        say(
                manifest.name(),
                (problems.isEmpty() ? "whole" : "not whole")
                        + ", "
                        + manifest.files().size()
                        + " files, "
                        + AnswerFormat.bytes(manifest.bytes()));
        return problems;
    }

    private void say(String name, String text) {
        if (!target.isJson()) {
            target.out().println(name + ": " + text);
            target.out().flush();
        }
    }
}
