package io.volute.server.s3.notification;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The ARN of a target of event notifications, such as {@code arn:volute:sqs::orders:webhook}. An
 * ARN with the partition {@code minio} means the same. Tools that accept ARNs of Amazon alone may
 * write {@code arn:aws:sqs:REGION:ACCOUNT:orders}.
 *
 * @param service kind of the configuration: sqs, sns or lambda
 * @param target name of the target in the settings
 * @param type type of the target; empty in the form of Amazon
 */
public record TargetArn(String service, String target, Optional<String> type) {
    /** The names of targets. */
    public static final String NAME = "[A-Za-z0-9][A-Za-z0-9_-]{0,63}";

    private static final Pattern OWN =
            Pattern.compile(
                    "arn:(?:volute|minio):(sqs|sns|lambda):[a-z0-9-]{0,63}:("
                            + NAME
                            + "):([a-z]{1,16})");
    private static final Pattern AMAZON =
            Pattern.compile(
                    "arn:aws:(sqs|sns|lambda):[a-z0-9-]{0,63}:[0-9]{0,12}:(?:function:)?("
                            + NAME
                            + ")");

    /** Reads an ARN; empty when it is of no form that a target has. */
    public static Optional<TargetArn> of(String text) {
        Matcher own = OWN.matcher(text);
        if (own.matches()) {
            return Optional.of(
                    new TargetArn(own.group(1), own.group(2), Optional.of(own.group(3))));
        }
        Matcher amazon = AMAZON.matcher(text);
        return amazon.matches()
                ? Optional.of(new TargetArn(amazon.group(1), amazon.group(2), Optional.empty()))
                : Optional.empty();
    }

    /** Returns the ARN of a target, as the server shows it. */
    public static String text(String target, String type) {
        return "arn:volute:sqs::" + target + ":" + type;
    }
}
