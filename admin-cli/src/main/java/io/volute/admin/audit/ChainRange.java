package io.volute.admin.audit;

import io.volute.admin.client.S3Scope;
import io.volute.admin.client.S3Uri;
import io.volute.admin.grammar.OldSpelling;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.record.ChainIdentity;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Options that select the keys whose signed history a command covers. */
@OldSpelling(value = "--prefix s3://BUCKET/PREFIX", now = "s3://BUCKET --prefix PREFIX")
@OldSpelling(value = "--bucket BUCKET", now = "BUCKET")
public final class ChainRange {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Parameters(
            arity = "0..1",
            paramLabel = "s3://BUCKET[/KEY]",
            converter = S3Scope.Converter.class,
            description = "The keys of a bucket, or one key; the bucket may be deleted by now.")
    private Optional<S3Scope> scope = Optional.empty();

    @Option(
            names = "--prefix",
            paramLabel = "PREFIX",
            description = "Prefix of the keys of the bucket (default: all keys).")
    private Optional<String> prefix = Optional.empty();

    @Option(names = "--all", description = "All keys.")
    private boolean isAll;

    @Option(
            names = "--cube",
            paramLabel = "CUBE",
            description =
                    "With --all: the keys of one cube. An export covers one cube. An audit by the"
                            + " server covers all cubes without this option.")
    private Optional<String> cube = Optional.empty();

    /** Refuses none, and more than one. */
    public void check() {
        long given = Stream.of(scope.isPresent(), isAll).filter(each -> each).count();
        if (given != 1) {
            throw new ParameterException(
                    spec.commandLine(), "write one of BUCKET, s3://BUCKET/KEY and --all");
        }
        if (prefix.isPresent() && (isAll || key().isPresent())) {
            throw new ParameterException(
                    spec.commandLine(), "--prefix goes with a bucket: s3://BUCKET --prefix PREFIX");
        }
    }

    /** The one key that is meant, if it is one. */
    public Optional<S3Uri> key() {
        return scope.flatMap(each -> each.key().map(key -> new S3Uri(each.bucket(), key)));
    }

    /** Returns the cube of the keys, if one is meant. */
    public Optional<String> cube() {
        return cube;
    }

    boolean isAll() {
        return isAll;
    }

    /** Returns the bucket of the keys; empty for all keys. */
    public Optional<String> bucket() {
        return scope.map(S3Scope::bucket);
    }

    /** Returns the prefix of the keys, if one is meant. */
    public Optional<String> prefix() {
        return prefix.filter(each -> !each.isEmpty());
    }

    /**
     * Returns true if this range includes a chain of an export. It always includes the store's
     * chain.
     */
    public boolean has(ChainIdentity chain) {
        String wanted = bucket().orElse("");
        return isAll
                || chain.isOfStore()
                || chain.bucket().equals(wanted)
                        && key().map(uri -> Bytes.of(uri.key()).equals(chain.key())).orElse(true)
                        && prefix.map(each -> begins(chain, each)).orElse(true);
    }

    private static boolean begins(ChainIdentity chain, String prefix) {
        // As bytes: a key of an export need not be a text.
        byte[] begin = prefix.getBytes(StandardCharsets.UTF_8);
        byte[] bytes = chain.key().toArray();
        return bytes.length >= begin.length
                && Arrays.equals(bytes, 0, begin.length, begin, 0, begin.length);
    }
}
