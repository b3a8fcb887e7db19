package io.volute.admin.history;

import io.volute.admin.client.Instants;
import io.volute.admin.client.S3Uri;
import io.volute.adminapi.AdminJson;
import io.volute.adminapi.RestoreApi.BeforeTaint;
import io.volute.adminapi.RestoreApi.Goal;
import io.volute.adminapi.RestoreApi.ToInstant;
import io.volute.adminapi.RestoreApi.UndoAccessKey;
import io.volute.adminapi.RestoreApi.UndoActor;
import io.volute.adminapi.RestoreApi.UndoName;
import io.volute.adminapi.RestoreApi.UndoUser;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Options that define the target state of a restore. */
final class RestoreGoal {
    @ArgGroup(exclusive = true)
    private Kind kind = new Kind();

    @Option(names = "--since", paramLabel = "T", description = "Undo what was done at T or later.")
    private Optional<String> since = Optional.empty();

    @Option(
            names = "--user",
            paramLabel = "NAME",
            description = "With --undo-name: whose clients, when several users have the name.")
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
                        "With --before-taint: follow what that version was made from, and undo"
                                + " from the first write of this name on.")
        private Optional<String> name = Optional.empty();

        @Option(
                names = "--caused-by-access-key",
                paramLabel = "KEY",
                description = "As --caused-by, for writes of this access key and its sessions.")
        private Optional<String> accessKey = Optional.empty();

        @Option(
                names = "--caused-by-user",
                paramLabel = "NAME",
                description = "As --caused-by, for writes of this user with any key or session.")
        private Optional<String> user = Optional.empty();

        private boolean isGiven() {
            return name.isPresent() || accessKey.isPresent() || user.isPresent();
        }
    }

    /** One of them. */
    private static final class Kind {
        @Option(names = "--to", paramLabel = "T", description = "Restore what was there at T.")
        private Optional<String> instant = Optional.empty();

        @Option(
                names = "--undo-actor",
                paramLabel = "ID",
                description = "Undo the writes of one run of a client (volute actors).")
        private Optional<Long> actor = Optional.empty();

        @Option(
                names = "--undo-name",
                paramLabel = "NAME",
                description =
                        "Undo the writes of clients of this name, or of names that begin so. In"
                                + " quotation marks: a name that clients chose.")
        private Optional<String> name = Optional.empty();

        @Option(
                names = "--undo-access-key",
                paramLabel = "KEY",
                description = "Undo the writes of this access key and the sessions that it began.")
        private Optional<String> accessKey = Optional.empty();

        @Option(
                names = "--undo-user",
                paramLabel = "NAME",
                description =
                        "Undo the writes of this user: all access keys and the sessions that they"
                                + " began.")
        private Optional<String> undoneUser = Optional.empty();

        @Option(
                names = "--before-taint",
                paramLabel = "s3://BUCKET/KEY",
                converter = S3Uri.Converter.class,
                description = "Undo this version and everything made from it.")
        private Optional<S3Uri> taint = Optional.empty();

        private boolean isGiven() {
            return Stream.of(instant, actor, name, accessKey, undoneUser, taint)
                    .anyMatch(Optional::isPresent);
        }
    }

    /** Returns true if any of these options is set. */
    boolean isGiven() {
        return kind.isGiven()
                || since.isPresent()
                || user.isPresent()
                || versionId.isPresent()
                || causedBy.isGiven();
    }

    /** Returns the goal. An incomplete or contradictory one is a usage error. */
    Goal goal(CommandSpec spec) {
        if (!kind.isGiven()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "say what to restore: --to, --undo-actor, --undo-name, --undo-access-key,"
                            + " --undo-user or --before-taint");
        }
        boolean isUndo = kind.instant.isEmpty() && kind.taint.isEmpty();
        if (isUndo != since.isPresent()) {
            throw new ParameterException(
                    spec.commandLine(),
                    isUndo
                            ? "say from when on to undo: --since T"
                            : "--since goes with --undo-actor, --undo-name, --undo-access-key and"
                                    + " --undo-user");
        }
        if (user.isPresent() && kind.name.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--user goes with --undo-name; all that a user did: --undo-user NAME");
        }
        if (versionId.isPresent() && kind.taint.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(), "--version-id goes with --before-taint");
        }
        if (causedBy.isGiven() && kind.taint.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--caused-by, --caused-by-access-key and --caused-by-user go with"
                            + " --before-taint");
        }
        if (kind.instant.isPresent()) {
            return new ToInstant(Instants.ofOption(spec, "--to", kind.instant.get()));
        }
        if (kind.taint.isPresent()) {
            return new BeforeTaint(
                    kind.taint.get().bucket(),
                    kind.taint.get().key(),
                    versionId,
                    causedBy.name,
                    causedBy.accessKey,
                    causedBy.user);
        }
        Instant from = Instants.ofOption(spec, "--since", since.orElseThrow());
        return kind.actor
                .<Goal>map(id -> new UndoActor(id, from))
                .or(() -> kind.name.map(name -> new UndoName(name, user, from)))
                .or(() -> kind.accessKey.map(key -> new UndoAccessKey(key, from)))
                .orElseGet(() -> new UndoUser(kind.undoneUser.orElseThrow(), from));
    }

    /** Returns a goal of the server's in a few words. */
    static String shown(Goal goal) {
        Map<String, Object> fields = AdminJson.fields((Record) goal);
        StringBuilder words = new StringBuilder(fields.remove("kind").toString());
        fields.forEach((name, value) -> words.append(' ').append(name).append(' ').append(value));
        return words.toString();
    }
}
