package io.volute.server.s3.content;

import io.volute.server.Limits;
import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.Conditions;
import io.volute.server.s3.call.Numbers;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.checksum.MultipartChecksums;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.replication.ReplicationStatus;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.value.ObjectAttributes.Checksum;
import io.volute.versioning.value.ObjectAttributes.Type;
import io.volute.versioning.value.ObjectVersion;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * The answer of a GetObject or HeadObject: conditions first, then part or range.
 *
 * @param begin and end: bytes {@code [begin, end)} to send
 */
public record ReadPlan(int status, Answer answer, long begin, long end) {

    /** Plans the answer about a version. */
    public static ReadPlan of(ObjectReader store, S3Request request, ObjectVersion version)
            throws IOException {
        ReadPlan plan = plan(store, request, version);
        ReplicationStatus.describe(plan.answer(), store, request.bucketName(), version);
        return plan;
    }

    private static ReadPlan plan(ObjectReader store, S3Request request, ObjectVersion version)
            throws IOException {
        switch (Conditions.ofRead(request, "", version)) {
            case MET -> {}
            case FAILED ->
                    throw new S3Exception(S3Error.PRECONDITION_FAILED)
                            .with("Condition", "If-Match or If-Unmodified-Since");
            case NOT_MODIFIED -> {
                Answer answer = Answer.of(304);
                ObjectHeaders.describe(answer, request, version);
                return new ReadPlan(304, answer, 0, 0);
            }
        }
        Optional<String> partNumber = request.query().get("partNumber");
        Optional<String> range = request.header("range");
        if (partNumber.isPresent()) {
            if (range.isPresent()) {
                throw new S3Exception(
                        S3Error.INVALID_REQUEST,
                        "Cannot specify both Range header and partNumber query parameter");
            }
            return part(store, request, version, partNumber(partNumber.get()));
        }
        if (range.isEmpty() || !Conditions.ofRange(request, version)) {
            return whole(request, version);
        }
        return switch (ByteRange.parse(range.get(), version.bytes())) {
            case ByteRange.Whole all -> whole(request, version);
            case ByteRange.Slice slice ->
                    slice(Answer.of(206), request, version, slice.begin(), slice.end());
            case ByteRange.Unsatisfiable none ->
                    throw new S3Exception(S3Error.INVALID_RANGE)
                            .with("RangeRequested", range.get())
                            .with("ActualObjectSize", Long.toString(version.bytes()))
                            .withHeader("content-range", "bytes */" + version.bytes());
        };
    }

    private static ReadPlan whole(S3Request request, ObjectVersion version) {
        Answer answer = Answer.of(200);
        ObjectHeaders.describe(answer, request, version);
        if (wantsChecksum(request)) {
            ObjectHeaders.checksum(answer, version.attributes().checksum());
        }
        return new ReadPlan(200, answer, 0, version.bytes());
    }

    private static ReadPlan slice(
            Answer answer, S3Request request, ObjectVersion version, long begin, long end) {
        ObjectHeaders.describe(answer, request, version);
        answer.header("content-range", "bytes " + begin + "-" + (end - 1) + "/" + version.bytes());
        return new ReadPlan(206, answer, begin, end);
    }

    private static ReadPlan part(
            ObjectReader store, S3Request request, ObjectVersion version, int number)
            throws IOException {
        List<PartInfo> parts =
                version.parts() > 0
                        ? store.parts(request.caller(), request.bucketInfo(), version)
                        : List.of();
        if (number > Math.max(1, parts.size())) {
            throw new S3Exception(S3Error.INVALID_PART_NUMBER)
                    .with("ActualPartCount", Integer.toString(Math.max(1, parts.size())))
                    .with("PartNumberRequested", Integer.toString(number));
        }
        if (parts.isEmpty()) {
            return version.bytes() == 0
                    ? whole(request, version)
                    : slice(Answer.of(206), request, version, 0, version.bytes());
        }
        long begin = 0;
        for (PartInfo before : parts.subList(0, number - 1)) {
            begin += before.bytes();
        }
        PartInfo wanted = parts.get(number - 1);
        Answer answer =
                Answer.of(206).header("x-amz-mp-parts-count", Integer.toString(parts.size()));
        if (wantsChecksum(request)) {
            ObjectHeaders.checksum(answer, ofPart(version, wanted));
        }
        return wanted.bytes() == 0
                ? new ReadPlan(200, described(answer, request, version), begin, begin)
                : slice(answer, request, version, begin, begin + wanted.bytes());
    }

    /**
     * Returns the checksum that a read of a part answers. As in S3, a checksum of the whole does
     * not cover one of several parts.
     */
    private static Optional<Checksum> ofPart(ObjectVersion version, PartInfo part) {
        if (MultipartChecksums.isComposite(version)) {
            return part.checksum()
                    .map(
                            checksum ->
                                    new Checksum(
                                            checksum.algorithm(),
                                            Type.COMPOSITE,
                                            checksum.value()));
        }
        return version.attributes().checksum().filter(whole -> version.parts() == 1);
    }

    private static Answer described(Answer answer, S3Request request, ObjectVersion version) {
        ObjectHeaders.describe(answer, request, version);
        return answer;
    }

    /** Returns whether the client requests the checksum of the content. */
    public static boolean wantsChecksum(S3Request request) {
        return request.header("x-amz-checksum-mode")
                .map(mode -> mode.equalsIgnoreCase("ENABLED"))
                .orElse(false);
    }

    /** A part number as a client wrote it. */
    public static int partNumber(String text) {
        return Numbers.between(
                "partNumber",
                text,
                1,
                Limits.PARTS_MAX,
                "Part number must be an integer between 1 and " + Limits.PARTS_MAX + ", inclusive");
    }
}
