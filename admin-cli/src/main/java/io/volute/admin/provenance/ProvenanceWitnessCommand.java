package io.volute.admin.provenance;

import io.volute.admin.audit.CheckpointFiles;
import io.volute.admin.audit.ExportOptions;
import io.volute.admin.audit.PrivateKeyFile;
import io.volute.admin.audit.PublicKeyFile;
import io.volute.admin.client.Printing;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.provenance.anchor.Witness;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.SigningKey;
import io.volute.provenance.record.SignatureAlgorithm;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** Co-signs checkpoints, on the machine of somebody who does not run the server. */
@Command(
        name = "witness",
        mixinStandardHelpOptions = true,
        description = {
            "Co-signs exported checkpoints, so that a server cannot show one history to some"
                    + " auditors and another to others.",
            "A witness makes a key pair (keygen), keeps the private key and hands the public one"
                    + " to auditors. It co-signs (sign) each new checkpoint after the last one. No"
                    + " server is needed."
        },
        synopsisSubcommandLabel = "COMMAND",
        subcommands = ProvenanceWitnessCommand.Sign.class,
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:done",
            "1:a file cannot be used",
            "2:wrong usage",
            "3:the checkpoint is not co-signed: forged, forked, replayed, backdated, cut off,"
                    + " rewritten or incomplete"
        })
final class ProvenanceWitnessCommand implements Callable<Integer> {
    @ParentCommand private ProvenanceCommand provenance;
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "Missing: keygen or sign");
    }

    @Example(
            value = "volute provenance witness keygen --output witness.key",
            does = "Make a key pair, on the machine of the witness.")
    @Command(
            name = "keygen",
            description = {
                "Makes a key pair (Ed25519), on the witness's own machine.",
                "The private key (mode 0600) never leaves it; auditors get the public one."
            })
    int keygen(
            @Option(
                            names = "--output",
                            paramLabel = "FILE",
                            required = true,
                            description = "Gets the private key; FILE.pub gets the public one.")
                    Path output) {
        ServerOptions server = provenance.server();
        return server.alone(
                () -> {
                    byte[] seed = new byte[SigningKey.SEED_BYTES];
                    new SecureRandom().nextBytes(seed);
                    SigningKey key = SigningKey.ofSeed(SignatureAlgorithm.ED25519, Bytes.of(seed));
                    PrivateKeyFile.ofWitness(output).create(Bytes.of(seed));
                    return PublicKeyFile.createBeside(output, key.publicKey(), server);
                });
    }

    /** Which checkpoint, and as whom. */
    @Example(
            value = "volute provenance witness sign --key w.key --checkpoint DIR --root-key ID",
            does = "Co-sign the newest checkpoint in DIR.")
    @Command(
            name = "sign",
            mixinStandardHelpOptions = true,
            description = {
                "Verifies a checkpoint against the last one that this witness co-signed, and"
                        + " co-signs it.",
                "It must descend from the last one, with each of its chains. All checkpoints"
                        + " between the two must lie in its directory, and heads-LAST, heads-NUMBER"
                        + " and entries-LAST-NUMBER (`volute provenance export --all"
                        + " --since-checkpoint LAST`). A fork or a rewritten history is refused and"
                        + " reported."
            })
    static final class Sign implements Callable<Integer> {
        @ParentCommand private ProvenanceWitnessCommand parent;
        @Spec private CommandSpec spec;

        @Option(
                names = "--key",
                paramLabel = "FILE",
                required = true,
                description = "The witness's private key.")
        private Path key;

        @Option(
                names = "--checkpoint",
                paramLabel = "FILE",
                required = true,
                description = "The checkpoint; of a directory the newest in it.")
        private Path checkpoint;

        @Option(
                names = "--keys",
                paramLabel = "FILE",
                description =
                        "The public keys of the store (default: keys, in the same directory).")
        private Optional<Path> keys = Optional.empty();

        @Option(
                names = "--root-key",
                paramLabel = "HEX",
                required = true,
                description = "Id of the store's first key, from a source other than the files.")
        private String rootKey;

        @Option(
                names = "--last",
                paramLabel = "FILE",
                description =
                        "The checkpoint that was co-signed last, which this command keeps there;"
                                + " one for each store (default: KEY.last, in the directory of the"
                                + " key).")
        private Optional<Path> last = Optional.empty();

        @Option(
                names = "--first",
                description = "There is no last one: this is the first that is co-signed.")
        private boolean isFirst;

        @Option(
                names = "--output",
                paramLabel = "FILE",
                description =
                        "Receives the co-signature (default: in the directory of the checkpoint).")
        private Optional<Path> output = Optional.empty();

        @Override
        public Integer call() {
            ExportOptions.requireKeyId(spec, rootKey);
            ServerOptions server = parent.provenance.server();
            try {
                return sign(server);
            } catch (RefusedException e) {
                new Printing(spec)
                        .error(
                                checkpoint
                                        + " is not co-signed: cut off or damaged: "
                                        + e.getMessage());
                return ServerOptions.FOUND_WRONG;
            } catch (IOException e) {
                return server.failed(e);
            }
        }

        private int sign(ServerOptions server) throws IOException {
            Path file = CheckpointFiles.newest(checkpoint);
            KeyList list = CheckpointFiles.keys(keys.orElse(file.resolveSibling("keys")), rootKey);
            Path kept = last.orElse(key.resolveSibling(key.getFileName() + ".last"));
            WitnessSigning.Done done =
                    new WitnessSigning(key, kept).sign(file, list, isFirst, output);
            return switch (done.outcome()) {
                case Witness.Outcome.Signed ignored -> signed(server, done);
                case Witness.Outcome.Refused refused -> {
                    new Printing(spec).error("not co-signed: " + refused.text());
                    yield ServerOptions.FOUND_WRONG;
                }
            };
        }

        private static int signed(ServerOptions server, WitnessSigning.Done done) {
            long number = done.checkpoint().body().number();
            Instant time = Instant.ofEpochMilli(done.checkpoint().body().timeMillis());
            Map<String, Object> told = new LinkedHashMap<>();
            told.put("number", number);
            told.put("time", time);
            told.put("hash", done.checkpoint().hash().hex());
            told.put("file", done.file().toString());
            return server.done(
                    told, "co-signed checkpoint " + number + " of " + time + " in " + done.file());
        }
    }
}
