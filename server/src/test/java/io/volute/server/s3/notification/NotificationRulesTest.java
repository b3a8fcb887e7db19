package io.volute.server.s3.notification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.notification.NotificationRules.Rule;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NotificationRulesTest {
    private static final String ARN = "arn:volute:sqs::hook:webhook";

    private static NotificationRules read(String rules) {
        return NotificationRules.ofDocument(
                "<NotificationConfiguration>" + rules + "</NotificationConfiguration>");
    }

    private static String queue(String id, String events, String filter) {
        StringBuilder text = new StringBuilder("<QueueConfiguration><Id>" + id + "</Id>");
        text.append("<Queue>").append(ARN).append("</Queue>");
        for (String event : events.split(" ")) {
            text.append("<Event>").append(event).append("</Event>");
        }
        if (!filter.isEmpty()) {
            text.append("<Filter><S3Key>");
            for (String part : filter.split(" ")) {
                text.append("<FilterRule><Name>")
                        .append(part, 0, part.indexOf('='))
                        .append("</Name><Value>")
                        .append(part.substring(part.indexOf('=') + 1))
                        .append("</Value></FilterRule>");
            }
            text.append("</S3Key></Filter>");
        }
        return text.append("</QueueConfiguration>").toString();
    }

    private static S3Exception refusal(String rules) {
        try {
            NotificationRules read = read(rules);
            throw new AssertionError(read.rules() + " were not refused");
        } catch (S3Exception e) {
            return e;
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "s3:ObjectCreated:*||CREATED_PUT|a|true",
                "s3:ObjectCreated:*||CREATED_MULTIPART|a|true",
                "s3:ObjectCreated:*||REMOVED_DELETE|a|false",
                "s3:ObjectCreated:Copy||CREATED_PUT|a|false",
                "s3:ObjectRemoved:*||REMOVED_MARKER|a|true",
                "s3:ObjectRemoved:*||EXPIRED_MARKER|a|false",
                "s3:LifecycleExpiration:*||EXPIRED_DELETE|a|true",
                "s3:ObjectTagging:* s3:ObjectAcl:Put||ACL_PUT|a|true",
                "s3:ObjectCreated:*|prefix=in/|CREATED_PUT|in/a|true",
                "s3:ObjectCreated:*|prefix=in/|CREATED_PUT|out/in/a|false",
                "s3:ObjectCreated:*|Suffix=.jpg Prefix=in/|CREATED_PUT|in/a.jpg|true",
                "s3:ObjectCreated:*|Suffix=.jpg Prefix=in/|CREATED_PUT|in/a.png|false",
            })
    void eventsAndFiltersMatch(
            String events, String filter, EventType type, String key, boolean matches) {
        NotificationRules rules =
                read(queue("one", events, Optional.ofNullable(filter).orElse("")));
        assertThat(rules.find(type, key).map(Rule::id).orElse("none"))
                .isEqualTo(matches ? "one" : "none");
    }

    @Test
    void theDocumentIsReadBackAsItIsAnswered() {
        String all =
                queue("q", "s3:ObjectCreated:Put s3:ObjectCreated:Copy", "suffix=.a prefix=p/")
                        + "<TopicConfiguration><Topic>arn:minio:sns:us-east-1:trail:file</Topic>"
                        + "<Event>s3:ObjectRemoved:*</Event></TopicConfiguration>"
                        + "<CloudFunctionConfiguration><Id>f</Id><CloudFunction>"
                        + "arn:aws:lambda:us-east-1:000000000000:function:hook</CloudFunction>"
                        + "<Event>s3:ObjectAcl:Put</Event></CloudFunctionConfiguration>";
        String document = new String(read(all).document(), StandardCharsets.UTF_8);
        NotificationRules again = NotificationRules.ofDocument(document);
        assertThat(again.rules()).isEqualTo(read(all).rules()).hasSize(3);
        assertThat(again.targets()).containsExactly("hook", "trail");
        assertThat(document)
                .contains("<Id>notification-2</Id>")
                .contains("<FilterRule><Name>Prefix</Name><Value>p/</Value></FilterRule>");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "s3:ObjectCreated:*||s3:ObjectCreated:Put||false",
                "s3:ObjectCreated:*||s3:ObjectRemoved:*||true",
                "s3:ObjectCreated:*|prefix=a|s3:ObjectCreated:*|prefix=b|true",
                "s3:ObjectCreated:*|prefix=a|s3:ObjectCreated:*|prefix=ab|false",
                "s3:ObjectCreated:*|prefix=a|s3:ObjectCreated:*|suffix=b|false",
                "s3:ObjectCreated:*|suffix=.jpg|s3:ObjectCreated:*|suffix=.png|true",
                "s3:ObjectCreated:*|suffix=.jpg|s3:ObjectCreated:*|suffix=g|false",
                "s3:ObjectCreated:*|prefix=a suffix=x|s3:ObjectCreated:*|prefix=a suffix=y|true",
            })
    void rulesThatOverlapAreRefused(
            String events, String filter, String others, String otherFilter, boolean isFine) {
        String both =
                queue("one", events, Optional.ofNullable(filter).orElse(""))
                        + queue("two", others, Optional.ofNullable(otherFilter).orElse(""));
        if (isFine) {
            assertThat(read(both).rules()).hasSize(2);
        } else {
            S3Exception refused = refusal(both);
            assertThat(refused.error()).isEqualTo(S3Error.INVALID_ARGUMENT);
            assertThat(refused).hasMessageContaining("ambiguously defined");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "s3:ObjectCreated,not supported",
        "ObjectCreated:*,not supported",
        "s3:ObjectCreated:Nothing,not supported",
        "s3:*,not supported",
        "s3:ObjectRestore:Post,no such events",
        "s3:ReducedRedundancyLostObject,no such events",
        "s3:Replication:*,no such events",
    })
    void unknownEventsAreRefused(String event, String message) {
        S3Exception refused = refusal(queue("one", event, ""));
        assertThat(refused.error()).isEqualTo(S3Error.INVALID_ARGUMENT);
        assertThat(refused).hasMessageContaining(message);
    }

    @Test
    void filtersThatS3DoesNotHaveAreRefused() {
        String event = "s3:ObjectCreated:*";
        assertThat(refusal(queue("a", event, "infix=b")))
                .hasMessageContaining("either prefix or suffix");
        assertThat(refusal(queue("a", event, "prefix=b Prefix=c")))
                .hasMessageContaining("more than one prefix");
        assertThat(refusal(queue("a", event, "prefix=" + "x".repeat(1025))))
                .hasMessageContaining("1024 bytes");
        assertThatCode(() -> read(queue("a", event, "prefix=" + "x".repeat(1024))))
                .doesNotThrowAnyException();
    }

    @Test
    void idsAreUniqueAndNotTooLong() {
        assertThat(
                        refusal(
                                queue("same", "s3:ObjectCreated:*", "")
                                        + queue("same", "s3:ObjectRemoved:*", "")))
                .hasMessageContaining("IDs must be unique");
        assertThat(refusal(queue("x".repeat(256), "s3:ObjectCreated:*", "")))
                .hasMessageContaining("255");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<Something/>",
                "<QueueConfiguration/>",
                "<QueueConfiguration><Queue>arn:volute:sqs::hook:webhook</Queue>"
                        + "</QueueConfiguration>",
                "<QueueConfiguration><Event>s3:ObjectCreated:*</Event></QueueConfiguration>",
                "<QueueConfiguration><Topic>a</Topic><Event>s3:ObjectCreated:*</Event>"
                        + "</QueueConfiguration>",
                "<QueueConfiguration><Queue>arn:volute:sqs::hook:webhook</Queue>"
                        + "<Event>s3:ObjectCreated:*</Event><Filter><S3Tag/></Filter>"
                        + "</QueueConfiguration>",
            })
    void otherDocumentsAreMalformed(String rules) {
        assertThat(refusal(rules).error()).isEqualTo(S3Error.MALFORMED_XML);
    }

    @Test
    void eventBridgeIsRefusedWithAReason() {
        S3Exception refused = refusal("<EventBridgeConfiguration/>");
        assertThat(refused.error()).isEqualTo(S3Error.NOT_IMPLEMENTED);
        assertThat(refused).hasMessageContaining("EventBridge is a service of Amazon");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hook",
                "arn:volute:sqs::hook",
                "arn:volute:sns::hook:webhook",
                "arn:volute:sqs:::webhook",
                "arn:other:sqs::hook:webhook",
                "arn:volute:sqs::ho/ok:webhook",
            })
    void arnsOfAnotherFormAreRefused(String arn) {
        assertThat(refusal(queue("one", "s3:ObjectCreated:*", "").replace(ARN, arn)))
                .hasMessageContaining("ARN");
    }

    @Test
    void aTargetExistsAndHasTheNamedType() {
        NotificationRules rules = read(queue("one", "s3:ObjectCreated:*", ""));
        assertThatCode(() -> rules.requireTargets(Map.of("hook", "webhook")))
                .doesNotThrowAnyException();
        for (Map<String, String> wrong :
                List.of(Map.of("hook", "file"), Map.<String, String>of())) {
            assertThatThrownBy(() -> rules.requireTargets(wrong))
                    .hasMessageContaining("Unable to validate");
        }
    }
}
