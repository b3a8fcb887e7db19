package io.volute.server.config;

import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The place where the server exports each checkpoint, besides a directory. */
public sealed interface CheckpointExport {
    /** The syntax of the setting, before its parts are checked. */
    Pattern FORM =
            Pattern.compile(
                    "(?:s3:/|(https?://[A-Za-z0-9][A-Za-z0-9.-]{0,252}(?::[0-9]{1,5})?))"
                            + "/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])"
                            + "((?:/(?!\\.{1,2}(?:/|$))[A-Za-z0-9._~-]{1,200}){0,8})/?");

    /** Returns the text of the setting. */
    String text();

    /** Returns the prefix of all object names; empty, or with a slash at its end. */
    String prefix();

    String bucket();

    /** A bucket of this server. */
    record Bucket(String bucket, String prefix) implements CheckpointExport {
        @Override
        public String text() {
            return "s3://" + bucket + "/" + prefix;
        }
    }

    /**
     * A bucket elsewhere, by S3, path-style.
     *
     * @param server scheme, host and port
     * @param credentials a private file: access key, white space, secret key
     * @param authorities PEM file of the certificates that TLS trusts; empty: those of Java
     */
    record Endpoint(
            URI server,
            String bucket,
            String prefix,
            Path credentials,
            String region,
            Optional<Path> authorities)
            implements CheckpointExport {
        @Override
        public String text() {
            return server + "/" + bucket + "/" + prefix;
        }
    }

    /** Reads the settings; empty when there is no export, or when a setting is wrong. */
    static Optional<CheckpointExport> of(ConfigSource from) {
        String text = from.get(Keys.CHECKPOINT_EXPORT);
        Optional<Path> credentials =
                from.get(Keys.CHECKPOINT_EXPORT_CREDENTIALS).map(Path::toAbsolutePath);
        Optional<Path> authorities = from.get(Keys.CHECKPOINT_EXPORT_CA).map(Path::toAbsolutePath);
        if (text.isEmpty()) {
            if (credentials.isPresent() || authorities.isPresent()) {
                from.problem(
                        "provenance.checkpoint-export-credentials and"
                                + " provenance.checkpoint-export-ca belong to"
                                + " provenance.checkpoint-export: write that, too");
            }
            return Optional.empty();
        }
        try {
            String region = from.get(Keys.CHECKPOINT_EXPORT_REGION);
            return Optional.of(of(text, credentials, region, authorities));
        } catch (IllegalArgumentException e) {
            from.problem(e.getMessage());
            return Optional.empty();
        }
    }

    /**
     * Combines the parts of the setting.
     *
     * @param text matches {@link #FORM}
     * @throws IllegalArgumentException when a part is missing or superfluous; the message names it
     */
    static CheckpointExport of(
            String text, Optional<Path> credentials, String region, Optional<Path> authorities) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException("not as it must be: " + text);
        }
        String prefix = form.group(3).isEmpty() ? "" : form.group(3).substring(1) + "/";
        if (form.group(1) == null) {
            if (credentials.isPresent() || authorities.isPresent()) {
                throw new IllegalArgumentException(
                        "provenance.checkpoint-export is a bucket of this server: leave out"
                                + " provenance.checkpoint-export-credentials and"
                                + " provenance.checkpoint-export-ca");
            }
            return new Bucket(form.group(2), prefix);
        }
        Path file =
                credentials.orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "provenance.checkpoint-export is another server: name a"
                                                + " file with its access key and secret key in"
                                                + " provenance.checkpoint-export-credentials"));
        return new Endpoint(
                URI.create(form.group(1)), form.group(2), prefix, file, region, authorities);
    }
}
