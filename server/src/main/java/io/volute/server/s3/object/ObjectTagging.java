package io.volute.server.s3.object;

import io.volute.server.Limits;
import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.Operation;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.call.Tags;
import io.volute.server.s3.checksum.Promises;
import io.volute.server.s3.content.ObjectHeaders;
import io.volute.server.s3.content.ReadTarget;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.xml.XmlReader;
import io.volute.server.s3.xml.XmlWriter;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.value.ObjectVersion;
import java.io.IOException;
import java.util.Map;

/** The tag set of a version: reading, replacing and removing it. */
public final class ObjectTagging {
    private ObjectTagging() {}

    /** GetObjectTagging. */
    public record Get(ObjectReader store) implements Operation {
        @Override
        public S3Response run(S3Request request) throws IOException {
            ObjectVersion version = ReadTarget.find(store, request);
            XmlWriter xml = XmlWriter.document("Tagging");
            xml.begin("TagSet");
            for (Map.Entry<String, String> tag : version.attributes().tags().entrySet()) {
                xml.begin("Tag");
                xml.element("Key", tag.getKey()).element("Value", tag.getValue()).end();
            }
            Answer answer = Answer.of(200);
            ObjectHeaders.versionId(answer, request, version);
            return answer.xml(xml.finish());
        }
    }

    /** PutObjectTagging. */
    public record Put(ObjectStore store) implements Operation {
        /**
         * @throws S3Exception MalformedXML or InvalidTag for an invalid tag set
         */
        @Override
        public S3Response run(S3Request request) throws IOException {
            byte[] document =
                    request.body().gather(Promises.of(request.verified()), Limits.XML_BYTES_MAX);
            Map<String, String> tags =
                    Tags.ofDocument(XmlReader.read(document, "Tagging", Limits.XML_ELEMENTS_MAX));
            return set(store, request, tags, Answer.of(200));
        }
    }

    /** DeleteObjectTagging. */
    public record Delete(ObjectStore store) implements Operation {
        @Override
        public S3Response run(S3Request request) throws IOException {
            return set(store, request, Map.of(), Answer.of(204));
        }
    }

    private static S3Response set(
            ObjectStore store, S3Request request, Map<String, String> tags, Answer answer)
            throws IOException {
        ReadTarget.find(store, request);
        ObjectVersion version =
                store.setTags(
                        request.caller(),
                        request.bucketInfo(),
                        request.key(),
                        request.selector(),
                        tags);
        ObjectHeaders.versionId(answer, request, version);
        return answer.withoutBody(answer.status() == 204 ? -1 : 0);
    }
}
