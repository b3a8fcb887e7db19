package io.volute.admin.history;

import io.volute.admin.client.S3Uri;
import io.volute.admin.grammar.OldSpelling;
import io.volute.adminapi.AdminJson;
import io.volute.adminapi.RestoreApi.BeforeTaint;
import io.volute.adminapi.RestoreApi.Goal;
import io.volute.adminapi.RestoreApi.ToInstant;
import io.volute.adminapi.RestoreApi.Undo;
import io.volute.adminapi.RestoreApi.UndoRestore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Options that define the target state of a restore. */
@OldSpelling(value = "--to T", now = "--at T")
final class RestoreGoal {
    @Option(names = "--at", paramLabel = "T", description = "Restore the state at T.")
    private Optional<Instant> instant = Optional.empty();

    @Option(
            names = "--undo-access-key",
            paramLabel = "KEY",
            description =
                    "Undo the writes of this access key and the sessions that it began, and"
                            + " everything made from them. This and the next three can be repeated"
                            + " and combined.")
    private List<String> accessKeys = new ArrayList<>();

    @Option(
            names = "--undo-user",
            paramLabel = "NAME",
            description = "The same for a user: all access keys and the sessions that they began.")
    private List<String> undoneUsers = new ArrayList<>();

    @Option(
            names = "--undo-actor",
            paramLabel = "ID",
            description = "The same for one run of a client (volute actors).")
    private List<Long> actors = new ArrayList<>();

    @Option(
            names = "--undo-name",
            paramLabel = "NAME",
            description =
                    "The same for clients of this name, or of names that begin so. In quotation"
                            + " marks: a name that clients chose.")
    private List<String> names = new ArrayList<>();

    @Option(
            names = "--before-taint",
            paramLabel = "s3://BUCKET/KEY",
            converter = S3Uri.Converter.class,
            description = "Undo this version and everything made from it.")
    private Optional<S3Uri> taint = Optional.empty();

    @Option(
            names = "--undo",
            paramLabel = "RESTORE-ID",
            description = "Undo a restore. Its bucket and keys are known.")
    private Optional<String> restore = Optional.empty();

    @Option(names = "--since", paramLabel = "T", description = "Undo writes at T or later.")
    private Optional<Instant> since = Optional.empty();

    @Option(
            names = "--keep-derived",
            description = "Undo the writes themselves, and keep the data made from them.")
    private boolean isDerivedKept;

    @Option(
            names = "--user",
            paramLabel = "NAME",
            description = "With --undo-name: the user, if clients of several users have the name.")
    private Optional<String> user = Optional.empty();

    @Option(
            names = "--version-id",
            paramLabel = "ID",
            description = "The bad version (default: the current one).")
    private Optional<String> versionId = Optional.empty();

    @ArgGroup(exclusive = true)
    private CausedBy causedBy = new CausedBy();

    /** One of them, or none: the version itself is where it began. */
    private static final class CausedBy {
        @Option(
                names = "--caused-by",
                paramLabel = "NAME",
                description =
                        "With --before-taint: follow the sources of that version, and undo from"
                                + " the first write of this name on.")
        private Optional<String> name = Optional.empty();

        @Option(
                names = "--caused-by-access-key",
                paramLabel = "KEY",
                description = "Like --caused-by, for writes of this access key and its sessions.")
        private Optional<String> accessKey = Optional.empty();

        @Option(
                names = "--caused-by-user",
                paramLabel = "NAME",
                description = "Like --caused-by, for writes of this user with any key or session.")
        private Optional<String> user = Optional.empty();

        private boolean isGiven() {
            return name.isPresent() || accessKey.isPresent() || user.isPresent();
        }
    }

    /** Returns true if any of these options is set. */
    boolean isGiven() {
        return instant.isPresent()
                || taint.isPresent()
                || restore.isPresent()
                || isOfClients()
                || since.isPresent()
                || isDerivedKept
                || user.isPresent()
                || versionId.isPresent()
                || causedBy.isGiven();
    }

    /** Returns the id of the restore to undo. */
    Optional<String> undoneRestore() {
        return restore;
    }

    private boolean isOfClients() {
        return Stream.of(accessKeys, undoneUsers, actors, names).anyMatch(all -> !all.isEmpty());
    }

    /** Returns the goal. An incomplete or contradictory one is a usage error. */
    Goal goal(CommandSpec spec) {
        long kinds =
                Stream.of(
                                instant.isPresent(),
                                taint.isPresent(),
                                restore.isPresent(),
                                isOfClients())
                        .filter(isGiven -> isGiven)
                        .count();
        require(
                spec,
                kinds == 1,
                "name the states to restore: --at, --undo, --before-taint, or some of"
                        + " --undo-access-key, --undo-user, --undo-actor and --undo-name");
        require(
                spec,
                isOfClients() == since.isPresent(),
                isOfClients()
                        ? "say from when on to undo: --since T"
                        : "--since goes with --undo-access-key, --undo-user, --undo-actor and"
                                + " --undo-name");
        require(
                spec,
                !isDerivedKept || isOfClients(),
                "--keep-derived goes with --undo-access-key, --undo-user, --undo-actor and"
                        + " --undo-name");
        require(
                spec,
                user.isEmpty() || !names.isEmpty(),
                "--user goes with --undo-name; all that a user did: --undo-user NAME");
        require(
                spec,
                versionId.isEmpty() || taint.isPresent(),
                "--version-id goes with --before-taint");
        require(
                spec,
                !causedBy.isGiven() || taint.isPresent(),
                "--caused-by, --caused-by-access-key and --caused-by-user go with --before-taint");
        if (instant.isPresent()) {
            return new ToInstant(instant.get());
        }
        if (restore.isPresent()) {
            return new UndoRestore(restore.get());
        }
        if (taint.isPresent()) {
            return new BeforeTaint(
                    taint.get().bucket(),
                    taint.get().key(),
                    versionId,
                    causedBy.name,
                    causedBy.accessKey,
                    causedBy.user);
        }
        return new Undo(
                given(actors),
                given(names),
                user,
                given(accessKeys),
                given(undoneUsers),
                since.orElseThrow(),
                Optional.of(!isDerivedKept));
    }

    private static <T> Optional<List<T>> given(List<T> list) {
        return Optional.of(list).filter(each -> !each.isEmpty());
    }

    private static void require(CommandSpec spec, boolean isRight, String what) {
        if (!isRight) {
            throw new ParameterException(spec.commandLine(), what);
        }
    }

    /** Returns a goal of the server's in a few words. */
    static String shown(Goal goal) {
        Map<String, Object> fields = AdminJson.fields((Record) goal);
        StringBuilder words = new StringBuilder(fields.remove("kind").toString());
        fields.forEach((name, value) -> words.append(' ').append(name).append(' ').append(value));
        return words.toString();
    }
}
