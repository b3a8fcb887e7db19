package io.volute.admin.client;

import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * All keys of a bucket, or one of them.
 *
 * @param key empty for all keys
 */
public record S3Scope(String bucket, Optional<String> key) {
    /** Reads it from the command line: {@code s3://BUCKET[/KEY]} or {@code BUCKET}. */
    public static final class Converter implements ITypeConverter<S3Scope> {
        @Override
        public S3Scope convert(String text) {
            boolean isUri = text.startsWith(S3Uri.SCHEME);
            String path = isUri ? text.substring(S3Uri.SCHEME.length()) : text;
            int slash = path.indexOf('/');
            String bucket = slash < 0 ? path : path.substring(0, slash);
            String key = slash < 0 ? "" : path.substring(slash + 1);
            if (bucket.isEmpty() || !isUri && slash >= 0) {
                throw new TypeConversionException(
                        "write s3://BUCKET/KEY, s3://BUCKET or BUCKET, not \"" + text + "\"");
            }
            return new S3Scope(bucket, Optional.of(key).filter(any -> !any.isEmpty()));
        }
    }
}
