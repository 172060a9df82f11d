-- Reserved for the outbox of answers.
SELECT 1;
