package io.volute.admin.audit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options of an audit without a server: the files to verify and the id of the root key. */
public final class ExportOptions {
    private static final Pattern KEY_ID = Pattern.compile("[0-9a-f]{64}");

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--export",
            paramLabel = "FILE",
            description = "Audit this export, without a server.")
    private Optional<Path> export = Optional.empty();

    @Option(names = "--keys", paramLabel = "FILE", description = "The public keys of the store.")
    private Optional<Path> keys = Optional.empty();

    @Option(
            names = "--root-key",
            paramLabel = "HEX",
            description = "Id of the store's first key, from a source other than the files.")
    private Optional<String> rootKey = Optional.empty();

    @Option(
            names = "--heads",
            paramLabel = "FILE",
            description = "All heads at a checkpoint; chains are compared with them.")
    private Optional<Path> heads = Optional.empty();

    @Option(
            names = "--checkpoint",
            paramLabel = "FILE",
            description = "The checkpoint that vouches for the heads.")
    private Optional<Path> checkpoint = Optional.empty();

    @Option(
            names = "--witness-key",
            paramLabel = "FILE",
            description = {
                "Public key of a witness that must have co-signed --checkpoint; may be repeated.",
                "Without --export, the server must have that checkpoint too."
            })
    private List<Path> witnesses = new ArrayList<>();

    @Option(
            names = "--complete",
            description = "Require that the export has all chains, and report missing ones.")
    private boolean isComplete;

    /** Refuses what is not enough, or does not go together. */
    void check(ChainRange range, AuditOptions options) {
        if (export.isEmpty()) {
            boolean isIdle = Stream.of(keys, rootKey, heads).noneMatch(Optional::isPresent);
            require(isIdle && !isComplete, "These options go with --export");
            require(
                    checkpoint.isPresent() != witnesses.isEmpty(),
                    "Without --export, --checkpoint and --witness-key go together");
            require(
                    witnesses.isEmpty() || range.isAll() || options.since().isPresent(),
                    "--witness-key needs --all or --since-checkpoint: only then the server verifies"
                            + " its checkpoints");
            return;
        }
        require(keys.isPresent() && rootKey.isPresent(), "--export needs --keys and --root-key");
        requireKeyId(spec, rootKey.orElse(""));
        require(
                heads.isPresent() == checkpoint.isPresent(),
                "--heads and --checkpoint go together");
        require(
                witnesses.isEmpty() || checkpoint.isPresent(),
                "--witness-key needs --checkpoint: witnesses co-sign the checkpoint");
        require(
                heads.isEmpty() || !options.isOfOneKind(),
                "An audit of one kind does not reach the ends of chains: leave out --heads");
        require(
                options.since().isEmpty() || heads.isPresent(),
                "--since-checkpoint needs --heads and --checkpoint");
        require(
                !isComplete || heads.isPresent() && range.isAll(),
                "--complete needs --heads, --checkpoint and --all");
    }

    /** Refuses what is no id of a key. */
    public static void requireKeyId(CommandSpec spec, String text) {
        if (!KEY_ID.matcher(text).matches()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--root-key is the id of a key: 64 digits of lower-case hex");
        }
    }

    private void require(boolean is, String otherwise) {
        if (!is) {
            throw new ParameterException(spec.commandLine(), otherwise);
        }
    }

    boolean isGiven() {
        return export.isPresent();
    }

    Path export() {
        return export.orElseThrow();
    }

    Path keys() {
        return keys.orElseThrow();
    }

    String rootKey() {
        return rootKey.orElseThrow();
    }

    Optional<Path> heads() {
        return heads;
    }

    Path checkpoint() {
        return checkpoint.orElseThrow();
    }

    /** Public keys of those who must have co-signed the checkpoint. */
    List<Path> witnesses() {
        return witnesses;
    }

    boolean isComplete() {
        return isComplete;
    }
}
