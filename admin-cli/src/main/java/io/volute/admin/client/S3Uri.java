package io.volute.admin.client;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A key of a bucket, as {@code s3://BUCKET/KEY}: the key is taken as it stands. */
public record S3Uri(String bucket, String key) {
    static final String SCHEME = "s3://";

    /** Reads it from the command line. */
    public static final class Converter implements ITypeConverter<S3Uri> {
        @Override
        public S3Uri convert(String text) {
            int slash = text.indexOf('/', SCHEME.length());
            if (!text.startsWith(SCHEME)
                    || slash <= SCHEME.length()
                    || slash == text.length() - 1) {
                throw new TypeConversionException("write s3://BUCKET/KEY, not \"" + text + "\"");
            }
            return new S3Uri(text.substring(SCHEME.length(), slash), text.substring(slash + 1));
        }
    }

    /** Reads the name of a bucket: {@code BUCKET} or {@code s3://BUCKET}. */
    public static final class BucketConverter implements ITypeConverter<String> {
        @Override
        public String convert(String text) {
            String name = text.startsWith(SCHEME) ? text.substring(SCHEME.length()) : text;
            if (name.endsWith("/")) {
                name = name.substring(0, name.length() - 1);
            }
            if (name.isEmpty() || name.indexOf('/') >= 0) {
                throw new TypeConversionException(
                        "write BUCKET or s3://BUCKET, not \"" + text + "\"");
            }
            return name;
        }
    }

    @Override
    public String toString() {
        return SCHEME + bucket + "/" + key;
    }
}
